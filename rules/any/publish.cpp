// Publishing by shape in C++: an index asked by key, a status that the lookup tests.
#include <string>
#include <unordered_map>

enum class Phase { kNew, READY };

struct Row {
    Phase phase = Phase::kNew;
    bool usable() const { return phase == Phase::READY; }
};

class Shelf {
   public:
    void Add(const std::string& key, Row row) {
        rows_.emplace(key, row);  // expect: index commit
    }
    bool Ask(const std::string& key) {
        auto it = rows_.find(key);  // expect: nothing (a read)
        if (it == rows_.end()) return false;
        return it->second.usable();
    }
    void Drop(const std::string& key) {
        rows_.erase(key);  // expect: index unpublish
    }
    void Count() { total_ += 1; }  // expect: nothing (no container)

   private:
    std::unordered_map<std::string, Row> rows_;
    int total_ = 0;
};

// Invented: two local indexes, and a list that is none.
#include <list>
#include <map>
#include <string>

struct HotMemBlock {
    std::string key_;
};

class LocalHotCache {
   public:
    void enter(HotMemBlock* block) {
        order_.push_front(block);                       // expect: nothing
        key_to_lru_it_[block->key_] = order_.begin();  // expect: hot-cache commit
    }
    void fill(HotMemBlock* block) {
        enter(block);  // expect: hot-cache commit
    }
    void leave(const std::string& key) {
        key_to_lru_it_.erase(key);  // expect: hot-cache unpublish
    }

   private:
    std::list<HotMemBlock*> order_;
    std::map<std::string, std::list<HotMemBlock*>::iterator> key_to_lru_it_;
};

class BucketStorageBackend {
   public:
    void keep(const std::string& key) {
        object_bucket_map_.emplace(key, 1);  // expect: bucket commit
    }
    void drop(const std::string& key) {
        object_bucket_map_.erase(key);  // expect: bucket unpublish
        sizes_.erase(key);              // expect: nothing
    }

   private:
    std::map<std::string, int> object_bucket_map_;
    std::map<std::string, int> sizes_;
};

// Invented: a tenant and a key become one string, a hash picks a place.
#include <functional>
#include <string>

class TenantId {
   public:
    std::string join(const std::string& key) const {  // expect: scope derive
        std::string out = value_;
        out.push_back(kScopedKeySeparator);  // expect: scope derive
        return out + key;
    }
    const std::string& value() const { return value_; }  // expect: nothing

   private:
    static constexpr char kScopedKeySeparator = '\0';
    std::string value_;
};

unsigned long place(const std::string& key) {
    return std::hash<std::string>{}(key) % 16;  // expect: shard derive
}

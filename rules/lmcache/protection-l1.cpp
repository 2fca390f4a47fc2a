// Invented: a count with a deadline, raised and lowered by compare-and-swap.
#include <atomic>
#include <cstdint>

class TTLLock {  // expect: l1-read-lock define
   public:
    void take() {
        int64_t old = counter_.load();
        // expect: ttl-lock acquire
        while (!counter_.compare_exchange_strong(old, old + 1)) {
        }
    }
    void give() {
        int64_t old = counter_.load();
        // expect: ttl-lock release
        while (!counter_.compare_exchange_strong(old, old - 1)) {
        }
    }
    bool held(int64_t now) const {
        return counter_.load() > 0 && now < expiration_ms_.load();  // expect: ttl-lock expire
    }
    int64_t deadline() const { return 0; }  // expect: nothing

   private:
    std::atomic<int64_t> counter_;
    std::atomic<int64_t> expiration_ms_;
};

// Invented: a lease that only grows, a count, two pins and a parking list.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <map>
#include <optional>
#include <string>

using Clock = std::chrono::system_clock;

struct ReplicateConfig {
    bool with_hard_pin{false};
};

class Replica {
   public:
    void hold() {
        refcnt_.fetch_add(1);  // expect: replica-refcount acquire
    }
    void unhold() {
        refcnt_.fetch_sub(1);  // expect: replica-refcount release
    }
    bool held() const {
        return refcnt_.load() > 0;  // expect: replica-refcount observe
    }

   private:
    std::atomic<int> refcnt_{0};
};

class MasterService {
   public:
    struct ObjectMetadata {
        Clock::time_point lease_timeout;
        std::optional<Clock::time_point> soft_pin_timeout;
        const bool hard_pinned{false};

        void extend(int ttl) {
            auto now = Clock::now();
            // expect: read-lease acquire
            lease_timeout = std::max(lease_timeout, now + std::chrono::milliseconds(ttl));
        }
        bool over() const {
            return Clock::now() >= lease_timeout;  // expect: read-lease expire
        }
        void pin(Clock::time_point now, int ttl) {
            soft_pin_timeout = now + std::chrono::milliseconds(ttl);  // expect: soft-pin acquire
        }
        bool pinned(Clock::time_point now) const {
            return soft_pin_timeout && now < *soft_pin_timeout;  // expect: soft-pin expire
        }
        bool fixed() const { return hard_pinned; }  // expect: nothing
    };
    struct TenantState {
        std::map<std::string, int> offloading_tasks;
    };
    class DiscardedReplicas {
       public:
        bool gone(Clock::time_point now) const {
            return ttl_ <= now;  // expect: parked-replicas expire
        }

       private:
        Clock::time_point ttl_;
    };

    void look(ObjectMetadata& object) {
        object.extend(5000);  // expect: read-lease acquire
    }
    bool may_remove(ObjectMetadata& object) {
        return object.over();  // expect: read-lease observe
    }
    void create(const ReplicateConfig& config) {
        make(config.with_hard_pin);  // expect: hard-pin acquire
    }
    bool skip(ObjectMetadata& object) {
        return object.fixed() || !object.over();  // expect: hard-pin observe, read-lease observe
    }
    bool describe(ObjectMetadata& object) {
        return object.fixed();  // expect: nothing
    }
    void copy(Replica& source, TenantState& state, const std::string& key) {
        source.hold();                         // expect: replica-refcount acquire
        state.offloading_tasks.emplace(key, 1);  // expect: task-marker acquire
    }
    void copied(Replica& source, TenantState& state, const std::string& key) {
        source.unhold();                   // expect: replica-refcount release
        state.offloading_tasks.erase(key);  // expect: task-marker release
    }
    bool busy(Replica& source) {
        return source.held();  // expect: replica-refcount observe
    }
    void park(DiscardedReplicas&& old) {
        discarded_replicas_.emplace_back(std::move(old));  // expect: parked-replicas acquire
    }
    void unpark() {
        discarded_replicas_.remove_if([](const auto& old) { return old.gone(Clock::now()); });  // expect: parked-replicas expire
    }

   private:
    void make(bool pin);
    std::list<DiscardedReplicas> discarded_replicas_;
};

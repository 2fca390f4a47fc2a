// Invented: an index of objects whose replicas are born unfinished, and the operations around it.
#include <map>
#include <set>
#include <string>
#include <vector>

enum class ErrorCode { OK, INVALID_WRITE };
enum class ReplicaStatus { PROCESSING, COMPLETE, REMOVED };

class Replica {
   public:
    Replica(int place, ReplicaStatus status) : place_(place), status_(status) {}
    void seal() {
        status_ = ReplicaStatus::COMPLETE;  // expect: complete commit
    }
    void bury() {
        status_ = ReplicaStatus::REMOVED;  // expect: removed-status unpublish
    }

   private:
    int place_;
    ReplicaStatus status_;
};

class AllocationStrategy {
   public:
    virtual Replica Allocate(int size) = 0;
};

class Spread : public AllocationStrategy {
   public:
    Replica Allocate(int size) override {
        std::vector<Replica> made;
        made.emplace_back(size, ReplicaStatus::PROCESSING);  // expect: born-unfinished reserve
        return made.back();
    }
};

class KvEventPublisher {
   public:
    void PublishStored(const std::string& key);
    void PublishRemoved(const std::string& key);
};

class MasterService {
   public:
    struct ObjectMetadata {
        void AddReplicas(std::vector<Replica>&& more);
        void PopReplicas(bool fn_is_processing);
        void EraseReplicas(int target_pred);
    };
    struct TenantState {
        std::map<std::string, ObjectMetadata> metadata;
        std::set<std::string> processing_keys;
    };

    void enter(TenantState& state, const std::string& key) {
        std::vector<Replica> fresh;
        fresh.emplace_back(1, ReplicaStatus::PROCESSING);  // expect: born-unfinished reserve
        state.metadata.emplace(key, ObjectMetadata{});     // expect: object reserve
        state.processing_keys.insert(key);                 // expect: processing-key reserve
    }
    void begin(TenantState& state, const std::string& key) {
        enter(state, key);  // expect: object-entry reserve
    }
    void restore(TenantState& state, const std::string& key) {
        state.metadata.emplace(key, ObjectMetadata{});  // expect: nothing
    }
    void finish(Replica& copy) {
        copy.seal();  // expect: complete commit
    }
    void widen(ObjectMetadata& object) {
        std::vector<Replica> more;
        more.push_back(strategy_->Allocate(8));
        object.AddReplicas(std::move(more));  // expect: added-replica reserve
    }
    void report(ObjectMetadata& object) {
        Replica on_disk(3, ReplicaStatus::COMPLETE);  // expect: added-replica commit
        std::vector<Replica> more;
        more.push_back(std::move(on_disk));
        object.AddReplicas(std::move(more));  // expect: added-replica commit
    }
    void give_up(ObjectMetadata& object, bool fn_is_processing) {
        object.PopReplicas(fn_is_processing);  // expect: removed-replica revoke
    }
    void shrink(ObjectMetadata& object, int target_pred) {
        object.EraseReplicas(target_pred);  // expect: removed-replica unpublish
    }
    void hide(Replica& copy) {
        copy.bury();  // expect: removed-status unpublish
    }
    void drop(TenantState& state, const std::string& key) {
        state.metadata.erase(key);  // expect: object unpublish
    }
    void sweep(TenantState& state, const std::string& key) {
        drop(state, key);  // expect: object-exit unpublish
    }
    class MetadataAccessorRW {
       public:
        void Erase();
    };
    bool remove(MetadataAccessorRW& found) {
        found.Erase();  // expect: object-accessor unpublish
        return true;
    }
    ErrorCode give_back(MetadataAccessorRW& found, bool readable) {
        if (readable) {
            return ErrorCode::INVALID_WRITE;
        }
        found.Erase();  // expect: object-accessor revoke
        return ErrorCode::OK;
    }
    void tell(const std::string& key) {
        kv_event_publisher_->PublishStored(key);   // expect: event commit
        kv_event_publisher_->PublishRemoved(key);  // expect: event unpublish
    }
    void count(std::set<std::string>& seen, const std::string& key) {
        seen.insert(key);  // expect: nothing
    }

   private:
    AllocationStrategy* strategy_;
    KvEventPublisher* kv_event_publisher_;
};

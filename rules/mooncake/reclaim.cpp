// Invented: pressure, eviction, freeing by destructor, parked memory, abandoned writes, a cache's victim.
#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <string>

struct HotMemBlock {
    int ref_count;
};

class BufferAllocatorBase {
   public:
    virtual void deallocate(void* where) = 0;
};

class Slab : public BufferAllocatorBase {
   public:
    void deallocate(void* where) override {  // expect: buffer free
        used_--;
    }

   private:
    int used_;
};

class Handle {
   public:
    ~Handle() {
        home_->deallocate(this);  // expect: buffer free
    }

   private:
    std::shared_ptr<BufferAllocatorBase> home_;
};

class MasterService {
   public:
    struct ObjectMetadata {
        void EraseReplicas(bool pred);
        bool IsSoftPinned(int now) const;
        std::chrono::system_clock::time_point started;
    };
    void no_room() {
        need_mem_eviction_ = true;  // expect: pressure detect
    }
    void shrink(ObjectMetadata& object) {
        object.EraseReplicas(true);  // expect: evict-objects evict
        need_mem_eviction_ = false;
    }
    void shrink_tenant(ObjectMetadata& object, int now) {
        if (!object.IsSoftPinned(now)) {
            object.EraseReplicas(true);  // expect: evict-objects evict
        }
    }
    void loop(ObjectMetadata& object) {
        if (need_mem_eviction_) {  // expect: pressure detect
            shrink(object);        // expect: pressure evict
        }
    }
    void forget(ObjectMetadata& object) {
        object.EraseReplicas(false);  // expect: nothing
    }
    bool stale(ObjectMetadata& object, std::chrono::system_clock::time_point now) {
        if (object.started + put_start_discard_timeout_sec_ < now) {  // expect: abandoned-writes detect
            return true;
        }
        return false;
    }
    void unpark() {
        discarded_replicas_.remove_if([](int left) { return left < 0; });  // expect: parked free
    }

   private:
    bool need_mem_eviction_{false};
    std::chrono::seconds put_start_discard_timeout_sec_;
    std::list<int> discarded_replicas_;
};

class LocalHotCache {
   public:
    HotMemBlock* victim() {
        for (auto it = lru_queue_.rbegin(); it != lru_queue_.rend(); ++it) {
            if ((*it)->ref_count == 0) {  // expect: hot-cache evict
                break;
            }
        }
        lru_queue_.pop_back();  // expect: hot-cache evict
        return nullptr;
    }

   private:
    std::list<HotMemBlock*> lru_queue_;
};

class MasterClient {
   public:
    void EvictDiskReplica(const std::string& key);
};

class Client {
   public:
    void EvictDiskReplica(const std::string& key) {
        master_client_.EvictDiskReplica(key);  // expect: disk evict
    }

   private:
    MasterClient master_client_;
};

class FileStorage {
   public:
    void full(const std::string& oldest) {
        client_->EvictDiskReplica(oldest);  // expect: disk evict
    }

   private:
    std::shared_ptr<Client> client_;
};

class BucketStorageBackend {
   public:
    void make_room(long id) {
        buckets_.erase(id);  // expect: disk evict
        names_.erase(id);    // expect: nothing
    }

   private:
    std::map<long, int> buckets_;
    std::map<long, std::string> names_;
};

// Invented: the test of a hit, the master's and the client's look-ups, a listing that is none.
#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

enum class ReplicaStatus { PROCESSING, COMPLETE };

class Replica {
   public:
    struct Descriptor {
        ReplicaStatus status;
        std::string place;
    };
    bool is_completed() const { return status_ == ReplicaStatus::COMPLETE; }  // expect: nothing

   private:
    ReplicaStatus status_;
};

class MasterService {
   public:
    struct ObjectMetadata {
        std::chrono::system_clock::time_point lease_timeout;
        bool HasReplica(bool fn_is_completed) const;
        void extend(std::chrono::system_clock::time_point now) { lease_timeout = std::max(lease_timeout, now); }
    };
    class MetadataAccessorRO {
       public:
        MetadataAccessorRO(const MasterService* service, const std::string& key);
        ObjectMetadata& Get();
    };
    bool readable(const Replica& copy) {
        if (!copy.is_completed()) {  // expect: readable query
            return false;
        }
        return !invalid_replica_endpoints_.count("there");
    }
    bool known(const std::string& key) {
        MetadataAccessorRO found(this, key);  // expect: master query
        found.Get().extend(std::chrono::system_clock::now());
        return true;
    }
    bool counted(const std::string& key, bool fn_is_completed) {
        MetadataAccessorRO found(this, key);                 // expect: master query
        if (!found.Get().HasReplica(fn_is_completed)) {  // expect: complete-replica query
            return false;
        }
        found.Get().extend(std::chrono::system_clock::now());
        return true;
    }
    bool listed(const std::string& key) {
        MetadataAccessorRO found(this, key);  // expect: nothing
        return true;
    }

   private:
    std::set<std::string> invalid_replica_endpoints_;
};

class MasterClient {
   public:
    int GetReplicaList(const std::string& key);
};

class Client {
   public:
    int ask(const std::string& key) {
        return master_client_.GetReplicaList(key);  // expect: client query
    }
    bool usable(const Replica::Descriptor& one) {
        return one.status == ReplicaStatus::COMPLETE;  // expect: complete-filter query
    }

   private:
    MasterClient master_client_;
};

class LocalHotCache {
   public:
    bool holds(const std::string& key) {
        return key_to_lru_it_.find(key) != key_to_lru_it_.end();  // expect: hot-cache query
    }
    void leave(const std::string& key) {
        key_to_lru_it_.erase(key_to_lru_it_.find(key));  // expect: nothing
    }

   private:
    std::map<std::string, int> key_to_lru_it_;
};

class StorageBackendInterface {
   public:
    virtual bool IsExist(const std::string& key) = 0;
};

class Shelf : public StorageBackendInterface {
   public:
    bool IsExist(const std::string& key) override {  // expect: disk query
        return !key.empty();
    }
};

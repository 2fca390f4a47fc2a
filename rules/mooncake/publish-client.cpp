// Invented: a client that writes in three steps and an owner of a disk that reports what it stored.
#include <map>
#include <string>

struct ObjectMeta {
    std::string key;
};

class StorageBackend {
   public:
    bool StoreObject(const std::string& path);
};

class MasterClient {
   public:
    bool PutStart(const std::string& key);
    bool PutEnd(const std::string& key);
    bool PutRevoke(const std::string& key);
    bool Remove(const std::string& key);
    bool NotifyOffloadSuccess(const std::string& key);
};

class Client {
   public:
    void write(const std::string& key) {
        master_client_.PutStart(key);  // expect: client reserve
        if (send(key)) {
            master_client_.PutEnd(key);  // expect: client commit
        } else {
            master_client_.PutRevoke(key);  // expect: client revoke
        }
    }
    void forget(const std::string& key) {
        master_client_.Remove(key);  // expect: client unpublish
    }
    void write_file(const std::string& key) {
        bool store_result = backend_.StoreObject(key);
        if (!store_result) {
            master_client_.PutRevoke(key);  // expect: file revoke
        }
        master_client_.PutEnd(key);  // expect: file commit
    }
    bool report(const std::string& key) {
        return master_client_.NotifyOffloadSuccess(key);  // expect: offload-report commit
    }
    bool end(const ObjectMeta& meta);
    bool send(const std::string& key) { return !key.empty(); }  // expect: nothing

   private:
    MasterClient master_client_;
    StorageBackend backend_;
};

class FileStorage {
   public:
    void stored(const std::string& key) {
        client_->report(key);  // expect: offload-report commit
    }

   private:
    Client* client_;
};

class RealClient {
   public:
    void open(const std::string& key) {
        put_sessions_[key] = 1;  // expect: session reserve
    }
    void close(const std::string& key) {
        client_->end(ObjectMeta{key});
        put_sessions_.erase(key);  // expect: session commit
    }
    void cancel(const std::string& key) {
        put_sessions_.erase(key);  // expect: session revoke
    }
    void note(const std::string& key) {
        notes_.erase(key);  // expect: nothing
    }

   private:
    std::map<std::string, int> put_sessions_;
    std::map<std::string, int> notes_;
    Client* client_;
};

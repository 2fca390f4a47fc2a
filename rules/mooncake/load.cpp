// Invented: a read into the caller's buffers, a read through a peer, a read from disk.
#include <map>
#include <string>

struct TransferRequest {
    enum OpCode { READ, WRITE };
};

enum class ReplicaStatus { PROCESSING, COMPLETE };

class Replica {
   public:
    struct Descriptor {
        ReplicaStatus status;
    };
};

class TransferSubmitter {
   public:
    bool submit(int replica, TransferRequest::OpCode op);
    bool submit_batch_get_offload_object(int peer);
};

class Client {
   public:
    bool fetch(int replica) {
        return transfer_submitter_->submit(replica, TransferRequest::READ);  // expect: transfer restore
    }
    bool write(int replica) {
        return transfer_submitter_->submit(replica, TransferRequest::WRITE);  // expect: nothing
    }
    bool either(int replica, TransferRequest::OpCode op_code) {
        return transfer_submitter_->submit(replica, op_code);  // expect: nothing
    }
    bool read(const Replica::Descriptor& one) {
        if (usable(one)) {
            return either(1, TransferRequest::READ);  // expect: transfer restore
        }
        return false;
    }
    bool store(int replica) {
        return either(replica, TransferRequest::WRITE);  // expect: nothing
    }
    bool usable(const Replica::Descriptor& one) { return one.status == ReplicaStatus::COMPLETE; }  // expect: nothing
    bool pull(int peer) {
        return transfer_submitter_->submit_batch_get_offload_object(peer);  // expect: peer-disk restore
    }

   private:
    TransferSubmitter* transfer_submitter_;
};

class ClientBufferAllocator {
   public:
    int allocate(int size);
};

class StorageBackendInterface {
   public:
    virtual bool BatchLoad(const std::string& key) = 0;
};

class Shelf : public StorageBackendInterface {
   public:
    bool BatchLoad(const std::string& key) override {  // expect: disk restore
        return !key.empty();
    }
};

class FileStorage {
   public:
    int stage(int id) {
        client_buffer_allocated_batches_[id] = 1;  // expect: nothing
        return id;
    }
    bool again(const std::string& key) {
        return back(key);  // expect: disk restore
    }
    int room(ClientBufferAllocator& allocator, int size) {
        return allocator.allocate(size);  // expect: peer-disk acquire
    }
    bool back(const std::string& key) {
        return storage_->BatchLoad(key);  // expect: disk restore
    }

   private:
    StorageBackendInterface* storage_;
    std::map<int, int> client_buffer_allocated_batches_;
};

class RealClient {
   public:
    bool into(int replica) {
        return client_->fetch(replica);  // expect: transfer restore
    }
    bool via(int peer) {
        return client_->pull(peer);  // expect: peer-disk restore
    }
    int serve(int id) {
        return storage_->stage(id);  // expect: disk-owner restore
    }

   private:
    Client* client_;
    FileStorage* storage_;
};

class StorageFile {
   public:
    virtual long read(std::string& into, size_t length);
};

class StorageBackend {
   public:
    long fill(StorageFile& file, std::string& into) {
        return file.read(into, into.size());  // expect: load.disk restore
    }
};

class Reader {
   public:
    long refill(StorageFile& file) {
        return backend_->fill(file, text_);  // expect: load.disk restore
    }
    StorageBackend* backend_;
    std::string text_;
};

long first_line(StorageFile& file, std::string& into) {
    return file.read(into, 80);  // expect: nothing
}

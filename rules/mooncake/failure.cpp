// Invented: what is noticed by age or by a dead handle, and what is done about it.
#include <chrono>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <string>

long now_ms();

enum class ErrorCode { OK, LEASE_EXPIRED };

struct MountedSegment {
    std::shared_ptr<int> buf_allocator;
};

class ScopedSegmentAccess {
   public:
    void unmount(MountedSegment& segment) {
        segment.buf_allocator.reset();  // expect: lost-segment fallback
    }
};

class Replica {
   public:
    bool has_invalid_mem_handle() const;
};

struct StorageObjectMetadata {
    long bucket;
    long data_size;
};

class MasterService {
   public:
    bool dead(const Replica& copy) {
        return copy.has_invalid_mem_handle();  // expect: lost-segment detect
    }
    void watch(int id) {
        client_ping_queue_.pop();  // expect: client-gone detect
        ok_client_.erase(id);      // expect: client-gone fallback
    }
    void reported(const StorageObjectMetadata& report) {
        if (report.data_size < 0) {  // expect: offload-nack detect
            return;
        }
    }

   private:
    std::queue<int> client_ping_queue_;
    std::set<int> ok_client_;
};

class MasterClient {
   public:
    bool PutRevoke(const std::string& key);
    bool NotifyPromotionFailure(const std::string& key);
    bool Ping();
    bool ReMountSegment(int id);
    bool Connect(const std::string& where);
};

class Client {
   public:
    void failed(const std::string& key) {
        master_client_.PutRevoke(key);  // expect: write-revoked fallback
    }
    bool NotifyPromotionFailure(const std::string& key) {
        return master_client_.NotifyPromotionFailure(key);  // expect: nothing
    }
    int read(bool leaseExpired) {
        if (leaseExpired) {  // expect: late-data detect
            return static_cast<int>(ErrorCode::LEASE_EXPIRED);
        }
        return 0;  // expect: nothing
    }
    void beat() {
        if (!master_client_.Ping()) {          // expect: master-lost detect
            master_client_.ReMountSegment(1);  // expect: master-lost fallback
        }
        while (running_) {
            master_client_.Connect("there");  // expect: master-lost retry
        }
    }

   private:
    bool running_;
    MasterClient master_client_;
};

class FileStorage {
   public:
    StorageObjectMetadata nack() {
        return StorageObjectMetadata{-1, 0};  // expect: offload-nack fallback
    }
    void not_promoted(const std::string& key) {
        client_->NotifyPromotionFailure(key);  // expect: promotion-nack fallback
    }
    StorageObjectMetadata stored() {
        return StorageObjectMetadata{7, 4096};  // expect: nothing
    }

   private:
    std::shared_ptr<Client> client_;
};

class TransferEngineOperationState {
   public:
    void wait() {
        if (now_ms() - start_ts_ > 60000) {  // expect: operation-timeout detect
            return;
        }
    }

   private:
    const long start_ts_;
};

class Transport {
   public:
    enum TransferStatusEnum { WAITING, TIMEOUT };
    struct TransferStatus {
        TransferStatusEnum s;
    };
    struct Slice {
        struct {
            unsigned retry_cnt;
            unsigned max_retry_cnt;
        } rdma;
    };
};

class Front {
   public:
    void check(Transport::TransferStatus& status, bool old) {
        if (old) {
            status.s = Transport::TransferStatusEnum::TIMEOUT;  // expect: slice-timeout detect
        } else {
            status.s = Transport::TransferStatusEnum::WAITING;  // expect: nothing
        }
    }
    bool again(Transport::Slice* slice) {
        slice->rdma.retry_cnt++;                                   // expect: slice-retry retry
        return slice->rdma.retry_cnt < slice->rdma.max_retry_cnt;  // expect: slice-retry detect
    }
    void resend(Transport::Slice* slice, bool failed) {
        if (failed) {
            again(slice);  // expect: slice-retry retry
        }
    }
};

class Keeper {
   public:
    static void KeepAlive(int lease);
};

class EtcdHelper {
   public:
    static void KeepAlive(int lease);
};

class Leader {
   public:
    void stay(int lease) {
        Keeper::KeepAlive(lease);      // expect: nothing
        EtcdHelper::KeepAlive(lease);  // expect: leader-lost detect
    }
};

struct NoFHeartbeatState {
    int consecutive_failures;
};

void no_answer(NoFHeartbeatState& state) {
    ++state.consecutive_failures;  // expect: segment-probe detect
}

struct ClientTask {
    int retry_count;
    void again() {
        retry_count++;  // expect: copy-task retry
    }
};

void once_more(ClientTask& task) {
    task.again();  // expect: copy-task retry
}

// Invented: counters that a poller compares, and the variant that wakes a waiter.
#include <atomic>
#include <condition_variable>
#include <vector>

struct ibv_cq;
int ibv_poll_cq(ibv_cq* queue, int room, void* out);

class Transport {
   public:
    enum TransferStatusEnum { WAITING, COMPLETED, TIMEOUT };
    struct TransferStatus {
        TransferStatusEnum s;
    };
    struct TransferTask {
        volatile bool is_finished = false;
        volatile long slice_count = 0;
        volatile long success_slice_count = 0;
        volatile long failed_slice_count = 0;
    };
    struct BatchDesc {
        std::atomic<bool> is_finished{false};
        std::condition_variable completion_cv;
    };
    struct Slice {
        TransferTask* task;
        void good() {
            __atomic_fetch_add(&task->success_slice_count, 1, 0);  // expect: slice-counters signal
        }
        void bad() {
            __atomic_fetch_add(&task->failed_slice_count, 1, 0);  // expect: slice-counters signal
        }
        void last(BatchDesc& batch) {
            batch.is_finished.store(true);     // expect: batch-event signal
            batch.completion_cv.notify_all();  // expect: batch-event signal
        }
    };
    virtual bool getTransferStatus(int task, TransferStatus& status) = 0;
};

class Wire : public Transport {
   public:
    void answered(Slice* slice) {
        slice->good();  // expect: slice-counters signal
    }
    bool getTransferStatus(int id, TransferStatus& status) override {
        TransferTask& task = tasks_[id];
        // expect: task-status observe
        if (task.success_slice_count + task.failed_slice_count == task.slice_count) {
            status.s = TransferStatusEnum::COMPLETED;  // expect: nothing
        }
        return true;
    }

   private:
    std::vector<TransferTask> tasks_;
};

class Front {
   public:
    bool may_free(Transport::TransferTask& task) {
        if (!task.is_finished) {  // expect: batch-free observe
            return false;
        }
        return true;
    }
    bool ask(Transport* wire, Transport::TransferStatus& status) {
        return wire->getTransferStatus(1, status);  // expect: status-relay observe
    }
    void until_done(Transport::TransferStatus& status) {
        while (status.s != Transport::TransferStatusEnum::COMPLETED) {  // expect: status-poll observe
            step();
        }
    }
    int drain(ibv_cq* queue) {
        return ibv_poll_cq(queue, 8, nullptr);  // expect: device observe
    }
    void loop(ibv_cq* queue) {
        drain(queue);  // expect: device observe
    }
    void step();
};

// Invented: one state per operation, set once by a worker, waited for through a future.
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

class OperationState {  // expect: operation define
   public:
    virtual bool is_completed() = 0;
    virtual void wait_for_completion() = 0;

   protected:
    std::optional<int> result_;
    std::mutex mutex_;
    std::condition_variable cv_;
};

class CopyState : public OperationState {
   public:
    bool is_completed() override { return result_.has_value(); }  // expect: nothing
    void finish(int code) {
        result_.emplace(code);  // expect: operation signal
        cv_.notify_all();       // expect: operation signal
    }
    void wait_for_completion() override {
        std::unique_lock<std::mutex> lock(mutex_);
        cv_.wait(lock);  // expect: operation observe
    }
};

class Worker {
   public:
    void run(CopyState* state) {
        state->finish(0);  // expect: operation signal
    }
};

class TransferFuture {
   public:
    bool ready() {
        return state_->is_completed();  // expect: operation observe
    }
    void join() {
        state_->wait_for_completion();  // expect: operation observe
    }

   private:
    std::shared_ptr<OperationState> state_;
};

class Client {
   public:
    void settle(TransferFuture& future) {
        future.join();  // expect: operation-wait observe
    }
};

enum class TaskStatus { PENDING, SUCCESS };

namespace mooncake {
struct Task {
    TaskStatus status;
    void end(TaskStatus final_status) { status = final_status; }  // expect: nothing
};
}  // namespace mooncake
using mooncake::Task;

class ScopedTaskWriteAccess {
   public:
    void ended(Task& task) {
        task.end(TaskStatus::SUCCESS);  // expect: assigned-task signal
    }
};

struct Entry {
    std::function<void(int)> callback;
};

class OrderedOpLogWriter {
   public:
    struct Impl {
        struct PendingEntry {
            int entry;
            std::function<void(int)> callback;
        };
        std::deque<PendingEntry> callback_entries;
    };
    void durable(Impl::PendingEntry entry) {
        impl_->callback_entries.push_back(entry);  // expect: durable-callback relay
    }
    void hand_on() {
        impl_->callback_entries.pop_front();  // expect: durable-callback signal
    }

   private:
    std::unique_ptr<Impl> impl_;
};

class MasterClient {
   public:
    void MarkTaskToComplete(int task);
};

class Client {
   public:
    void ended(int task) {
        master_.MarkTaskToComplete(task);  // expect: task-report signal
    }

   private:
    MasterClient master_;
};

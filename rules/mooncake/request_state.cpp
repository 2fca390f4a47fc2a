// Invented: the shape of a status field with one-line setters, and of look-alikes that must stay silent.
enum class ReplicaStatus { UNDEFINED, PROCESSING, COMPLETE, REMOVED };  // expect: replica define
enum class PutOperationState { PENDING, DONE };                         // expect: put-operation define
enum class TaskStatus { PENDING, PROCESSING, SUCCESS };                 // expect: copy-task define

class Replica {
   public:
    explicit Replica(ReplicaStatus s) : status_(s) {}  // expect: nothing
    void seal() {
        status_ = ReplicaStatus::COMPLETE;  // expect: replica transition
    }
    void reopen() {
        status_ = ReplicaStatus::PROCESSING;  // expect: replica transition
    }
    void forget() {
        status_ = ReplicaStatus::UNDEFINED;  // expect: nothing
    }

   private:
    ReplicaStatus status_;  // expect: replica define
};

class MasterService {
   public:
    void overwrite(Replica& copy) {
        copy.reopen();  // expect: replica transition
    }
    void finish(Replica& copy) {
        copy.seal();  // expect: nothing
    }
};

struct PutOperation {
    PutOperationState state = PutOperationState::PENDING;  // expect: nothing
    void settle() {
        state = PutOperationState::DONE;  // expect: put-operation transition
    }
};

class Client {
   public:
    void close(PutOperation& op) {
        op.settle();  // expect: put-operation transition
    }
};

namespace mooncake {
struct Task {
    TaskStatus status;
    void begin() {
        status = TaskStatus::PROCESSING;  // expect: copy-task transition
    }
};
}  // namespace mooncake
using mooncake::Task;

class ScopedTaskWriteAccess {
   public:
    void hand_out(Task& task) {
        task.begin();  // expect: copy-task transition
    }
};

class Transport {
   public:
    enum TransferStatusEnum { WAITING, COMPLETED };  // expect: slice define
    struct TransferTask {                            // expect: slice define
        int slice_count;
    };
    struct Slice {
        enum SliceStatus { PENDING, POSTED, SUCCESS };  // expect: slice define
        SliceStatus status;
        void done() {
            status = Slice::SUCCESS;  // expect: slice transition
        }
    };
};

struct Lamp {
    int status;
    void on() {
        status = 1;  // expect: nothing
    }
};

enum class SegmentStatus { OK, UNMOUNTING };  // expect: segment define

struct MountedSegment {
    SegmentStatus status;
};

void let_go(MountedSegment& segment, Lamp& lamp) {
    segment.status = SegmentStatus::UNMOUNTING;  // expect: segment transition
    lamp.status = 0;                             // expect: nothing
}

enum class StandbyState { FOLLOWING, PROMOTED };  // expect: standby define

class StandbyStateMachine {
   public:
    void promote() {
        current_state_.store(StandbyState::PROMOTED);  // expect: standby transition
    }

   private:
    std::atomic<StandbyState> current_state_;
};

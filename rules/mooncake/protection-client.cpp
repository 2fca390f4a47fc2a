// Invented: the client's copy of a deadline, counted blocks, lent buffers.
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>

using Steady = std::chrono::steady_clock;

class QueryResult {
   public:
    QueryResult(int replicas, Steady::time_point until) : lease_timeout(until) {}
    const Steady::time_point lease_timeout;
    bool over() const {
        return Steady::now() >= lease_timeout;  // expect: query-deadline expire
    }
};

struct Answer {
    int replicas;
    int lease_ttl_ms;
};

class Client {
   public:
    QueryResult ask(Answer answer) {
        auto start = Steady::now();
        // expect: query-deadline derive
        return QueryResult(answer.replicas, start + std::chrono::milliseconds(answer.lease_ttl_ms));
    }
    bool late(const QueryResult& result) {
        return result.over();  // expect: query-deadline observe
    }
};

struct HotMemBlock {
    std::atomic<int> ref_count;
};

class LocalHotCache {
   public:
    void borrow(HotMemBlock* block) {
        block->ref_count++;  // expect: hot-block-count acquire
    }
    void give_back(HotMemBlock* block) {
        if (block->ref_count > 0) {  // expect: hot-block-count observe
            block->ref_count--;      // expect: hot-block-count release
        }
    }
};

class FileStorage {
   public:
    struct AllocatedBatch {
        Steady::time_point lease_timeout;
    };
    void stage(int id, std::shared_ptr<AllocatedBatch> batch) {
        client_buffer_allocated_batches_.emplace(id, batch);  // expect: staging-batch acquire
    }
    void done(int id) {
        client_buffer_allocated_batches_.erase(id);  // expect: staging-batch release
    }
    void collect(int id, std::shared_ptr<AllocatedBatch> batch) {
        auto now = Steady::now();
        if (now >= batch->lease_timeout) {
            client_buffer_allocated_batches_.erase(id);  // expect: staging-batch expire
        }
    }

   private:
    std::map<int, std::shared_ptr<AllocatedBatch>> client_buffer_allocated_batches_;
};

struct ShmContext {
    std::map<long, int> active_handles;
};

class RealClient {
   public:
    void lend(ShmContext& context, long where) {
        context.active_handles[where] = 1;  // expect: shared-handles acquire
    }
    void returned(ShmContext& context, long where) {
        context.active_handles.erase(where);  // expect: shared-handles release
    }
};

struct BucketMetadata {
    std::atomic<int> inflight_reads_{0};
};

class Guard {
   public:
    void enter(BucketMetadata& bucket) {
        bucket.inflight_reads_.fetch_add(1);  // expect: bucket-readers acquire
    }
    void leave(BucketMetadata& bucket) {
        bucket.inflight_reads_.fetch_sub(1);  // expect: bucket-readers release
    }
};

// Invented: the driver's callback thread files a record that a thread of the server drains.
#include <vector>

class CompletionRecorder {
   public:
    void file(int record) { buffer_.push_back(record); }  // expect: nothing (the mechanism)
    void note(int record) { notes_.push_back(record); }   // expect: nothing

   private:
    std::vector<int> buffer_;
    std::vector<int> notes_;
};

void on_stream_done(CompletionRecorder* recorder, int record) {
    recorder->file(record);  // expect: stream-callback signal
    recorder->note(record);  // expect: nothing
}

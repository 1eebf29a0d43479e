// Streams and events: which work runs next.

#include "driver.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace {

/** Streams in the order of their creation, those included that are destroyed and not empty. */
std::vector<std::shared_ptr<Stream>> streams;
std::map<int, std::shared_ptr<Stream>> defaults;
std::map<void *, std::shared_ptr<Event>> events;

/** When work runs that nothing waits for. It changes now and then. */
enum Habit {
    /** Never. */
    LATE,
    /** At any time. */
    RANDOM,
    /** Before the work that is waited for. */
    OTHERS_FIRST,
    /** At once. */
    EARLY,
};

Habit habit() {
    static Habit now = LATE;
    static int left = 0;
    if (left-- <= 0) {
        left = (int)(randomness()() % 40);
        now = (Habit)(randomness()() % 4);
    }
    return now;
}

bool isReady(const Stream &stream) {
    if (stream.queue.empty()) {
        return false;
    }
    const Operation &next = stream.queue.front();
    return !next.awaited || next.awaited->hasOccurred || stream.context->error;
}

void step(Stream &stream) {
    Operation operation = std::move(stream.queue.front());
    stream.queue.pop_front();
    if (operation.run && !stream.context->error) {
        int result = operation.run();
        if (result && !stream.context->error) {
            fail(stream.context, result, operation.name + ": result " + std::to_string(result));
        }
    }
    if (operation.recorded) {
        operation.recorded->hasOccurred = true;
        operation.recorded->millis =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }
}

void forget() {
    streams.erase(
        std::remove_if(
            streams.begin(), streams.end(),
            [](const std::shared_ptr<Stream> &each) { return each->isDestroyed && each->queue.empty(); }),
        streams.end());
}

std::vector<Stream *> readyStreams(const Stream *without) {
    std::vector<Stream *> ready;
    for (auto &each : streams) {
        if (each.get() != without && isReady(*each)) {
            ready.push_back(each.get());
        }
    }
    return ready;
}

/** Runs one piece of work of any stream. Returns false if there is none that can run. */
bool stepAny(const Stream *without) {
    std::vector<Stream *> ready = readyStreams(without);
    if (ready.empty()) {
        return false;
    }
    step(*ready[randomness()() % ready.size()]);
    return true;
}

/** The stream whose first work must run for the work of another one; null if none can. */
Stream *needed(Stream *stream) {
    for (size_t depth = 0; depth <= streams.size(); depth++) {
        if (isReady(*stream)) {
            return stream;
        }
        if (stream->queue.empty()) {
            return nullptr;
        }
        const Operation &next = stream->queue.front();
        Stream *recording = nullptr;
        for (auto &each : streams) {
            for (const Operation &other : each->queue) {
                if (other.recorded == next.awaited) {
                    recording = each.get();
                }
            }
        }
        if (!recording) {
            return nullptr;
        }
        stream = recording;
    }
    return nullptr;
}

/** Runs work until a condition is true, which the work of a stream makes true. */
int runUntil(Stream &stream, const std::function<bool()> &isTrue) {
    while (!isTrue() && !stream.context->error) {
        switch (habit()) {
            case OTHERS_FIRST:
                while (stepAny(&stream)) {
                }
                break;
            case RANDOM:
                while (!isTrue() && randomness()() % 2 == 0 && stepAny(nullptr)) {
                }
                break;
            default: break;
        }
        if (isTrue()) {
            break;
        }
        Stream *next = needed(&stream);
        if (!next) {
            return fail(stream.context, LAUNCH_FAILED, "streams wait for each other");
        }
        step(*next);
    }
    forget();
    return stream.context->error;
}

void runSome() {
    switch (habit()) {
        case EARLY:
            while (stepAny(nullptr)) {
            }
            break;
        case RANDOM:
            while (randomness()() % 4 == 0 && stepAny(nullptr)) {
            }
            break;
        default: break;
    }
}

std::shared_ptr<Event> eventOf(void *handle) {
    auto found = events.find(handle);
    return found == events.end() ? nullptr : found->second;
}

std::shared_ptr<Stream> defaultOf(Context *context) {
    std::shared_ptr<Stream> &there = defaults[context->device];
    if (!there) {
        there = std::make_shared<Stream>(Stream{context, false});
        streams.push_back(there);
    }
    return there;
}

} // namespace

std::shared_ptr<Stream> streamOf(void *handle) {
    if ((uintptr_t)handle <= 2) {
        return defaultOf(current());
    }
    for (auto &each : streams) {
        if (each.get() == handle && !each->isDestroyed) {
            return each;
        }
    }
    report("stream: none that exists");
    return nullptr;
}

int enqueue(Stream &stream, Operation operation) {
    std::shared_ptr<Stream> standard = defaultOf(stream.context);
    if (&stream == standard.get()) {
        for (size_t i = 0; i < streams.size(); i++) {
            if (streams[i]->waitsForDefault && streams[i]->context == stream.context) {
                drain(*streams[i]);
            }
        }
    } else if (stream.waitsForDefault) {
        drain(*standard);
    }
    stream.queue.push_back(std::move(operation));
    runSome();
    return stream.context->error;
}

int drain(Stream &stream) {
    return runUntil(stream, [&] { return stream.queue.empty(); });
}

API cuStreamCreate(void **handle, unsigned flags) {
    BEGIN(cuStreamCreate)
    streams.push_back(std::make_shared<Stream>(Stream{current(), (flags & 1) == 0}));
    *handle = streams.back().get();
    return SUCCESS;
}

API cuStreamCreateWithPriority(void **handle, unsigned flags, int) {
    return cuStreamCreate(handle, flags);
}

API cuStreamDestroy_v2(void *handle) {
    BEGIN(cuStreamDestroy)
    std::shared_ptr<Stream> stream = handle ? streamOf(handle) : nullptr;
    if (!stream) {
        return INVALID_HANDLE;
    }
    stream->isDestroyed = true;
    forget();
    return SUCCESS;
}

API cuStreamSynchronize(void *handle) {
    BEGIN(cuStreamSynchronize)
    std::shared_ptr<Stream> stream = streamOf(handle);
    return stream ? drain(*stream) : INVALID_HANDLE;
}

API cuStreamQuery(void *handle) {
    BEGIN(cuStreamQuery)
    std::shared_ptr<Stream> stream = streamOf(handle);
    if (!stream) {
        return INVALID_HANDLE;
    }
    stepAny(nullptr);
    return stream->context->error ? stream->context->error : stream->queue.empty() ? SUCCESS : NOT_READY;
}

API cuStreamWaitEvent(void *handle, void *event, unsigned) {
    BEGIN(cuStreamWaitEvent)
    std::shared_ptr<Stream> stream = streamOf(handle);
    std::shared_ptr<Event> awaited = eventOf(event);
    if (!stream || !awaited) {
        return INVALID_HANDLE;
    }
    return enqueue(*stream, {"wait for an event", nullptr, awaited->last, nullptr});
}

API cuCtxSynchronize() {
    BEGIN(cuCtxSynchronize)
    std::vector<std::shared_ptr<Stream>> all = streams;
    for (auto &each : all) {
        if (each->context == current()) {
            drain(*each);
        }
    }
    return current()->error;
}

API cuEventCreate(void **handle, unsigned flags) {
    BEGIN(cuEventCreate)
    auto event = std::make_shared<Event>(Event{current(), (flags & 2) == 0});
    events[event.get()] = event;
    *handle = event.get();
    return SUCCESS;
}

API cuEventDestroy_v2(void *handle) {
    BEGIN(cuEventDestroy)
    return events.erase(handle) ? SUCCESS : INVALID_HANDLE;
}

API cuEventRecord(void *handle, void *ofStream) {
    BEGIN(cuEventRecord)
    std::shared_ptr<Event> event = eventOf(handle);
    std::shared_ptr<Stream> stream = streamOf(ofStream);
    if (!event || !stream || event->context != stream->context) {
        return INVALID_HANDLE;
    }
    event->last = std::make_shared<Mark>();
    return enqueue(*stream, {"record of an event", nullptr, nullptr, event->last});
}

API cuEventSynchronize(void *handle) {
    BEGIN(cuEventSynchronize)
    std::shared_ptr<Event> event = eventOf(handle);
    if (!event) {
        return INVALID_HANDLE;
    }
    std::shared_ptr<Mark> last = event->last;
    if (!last) {
        return SUCCESS;
    }
    Stream host{event->context, false}; // waits, and nothing else
    host.queue.push_back({"wait of the host", nullptr, last, nullptr});
    return runUntil(host, [&] { return last->hasOccurred; });
}

API cuEventQuery(void *handle) {
    BEGIN(cuEventQuery)
    std::shared_ptr<Event> event = eventOf(handle);
    if (!event) {
        return INVALID_HANDLE;
    }
    stepAny(nullptr);
    return event->context->error                      ? event->context->error
           : !event->last || event->last->hasOccurred ? SUCCESS
                                                      : NOT_READY;
}

API cuEventElapsedTime(float *millis, void *from, void *to) {
    BEGIN(cuEventElapsedTime)
    std::shared_ptr<Event> first = eventOf(from);
    std::shared_ptr<Event> second = eventOf(to);
    if (!first || !second || !first->isTimed || !second->isTimed || !first->last || !second->last) {
        return INVALID_HANDLE;
    }
    if (!first->last->hasOccurred || !second->last->hasOccurred) {
        return NOT_READY;
    }
    *millis = (float)(second->last->millis - first->last->millis);
    return SUCCESS;
}

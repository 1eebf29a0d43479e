package io.psf.runtime.internal.call;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.RequestHeader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Writes requests and sends them. Each part of a call is sent at most once over each of its peer's channels.
 * Thread-safe.
 */
final class Sender {
    private final FramePool pool;
    private final CallEvents events;
    private final Outstanding outstanding;
    /** Drafts of the thread that are not in use. */
    private final ThreadLocal<ArrayDeque<Request>> requests = ThreadLocal.withInitial(ArrayDeque::new);

    private final ThreadLocal<List<TupleWriter>> writers = ThreadLocal.withInitial(ArrayList::new);
    private final LongAdder bytesSent = new LongAdder();

    Sender(FramePool pool, CallEvents events, Outstanding outstanding) {
        this.pool = pool;
        this.events = events;
        this.outstanding = outstanding;
    }

    /**
     * Sends the parts of a call that have not been sent.
     *
     * @param again the peer to send to, if the calling thread reconnects to it; null for all peers
     */
    void sendParts(Call<?> call, @Nullable Peer again) {
        CallParts<?> parts = call.parts();
        for (int part = 0; part < parts.count() && !call.isDone(); part++) {
            Peer peer = parts.peer(part);
            if (again != null && again != peer) {
                continue; // another thread is responsible for the order of calls to another peer
            }
            Channel channel = parts.claim(part, peer, again != null);
            if (channel != null) {
                sendPart(call, part, peer, channel, again != null);
            }
            PsException lost = peer.lost();
            if (lost != null) {
                call.failParts(peer, lost);
            }
        }
    }

    private void sendPart(Call<?> call, int part, Peer peer, Channel channel, boolean again) {
        List<Call<?>> chain = call.chain();
        try {
            if (chain == null) {
                writePart(call, part, channel);
            } else {
                pass(call, part, frame(chain, call, part, again), channel);
            }
        } catch (PsException e) {
            boolean comesAgain = e.code() == Code.UNAVAILABLE && peer.keepsSession() && !peer.isLost();
            if (!comesAgain) {
                fail(call, chain, part, e);
            }
        } catch (Throwable e) { // for example from components of the request, which are code of the user
            fail(call, chain, part, new PsException(Code.BAD_REQUEST, "writing the request: " + e, e));
        }
    }

    private static void fail(Call<?> call, @Nullable List<Call<?>> chain, int part, PsException cause) {
        call.failAtOnce(part, cause);
        if (chain != null) {
            chain.forEach(other -> other.failAtOnce(
                    -1, new PsException(Code.CANCELLED, "not sent, since a call of the chain failed", cause)));
        }
    }

    private void writePart(Call<?> call, int part, Channel channel) {
        ArrayDeque<Request> unused = requests.get();
        Request request =
                unused.isEmpty() ? new Request() : unused.removeLast(); // sending may block, and may make calls
        try {
            if (!request.begin(call, part)) {
                return;
            }
            int length = request.length();
            tellDone(call.parts().peer(part));
            if (channel.send(request, call.deadline())) {
                sent(call, part, length);
            } else {
                pass(call, part, Frames.of(pool, request), channel);
            }
        } finally {
            request.end();
            unused.add(request);
        }
    }

    private void pass(Call<?> call, int part, @Nullable Frame frame, Channel channel) {
        if (frame != null) {
            tellDone(call.parts().peer(part));
            sent(call, part, frame.length());
            channel.send(frame, call.deadline());
        }
    }

    /** Tells a peer of the calls that this side is done with, if there are many, with the request that follows. */
    private void tellDone(Peer peer) {
        if (peer.hasManyDone()) {
            peer.tellDoneWithNext(pool, outstanding.oldest(peer));
        }
    }

    private void sent(Call<?> call, int part, int bytes) {
        bytesSent.add(bytes);
        events.sent(call, part, bytes);
    }

    /**
     * Writes the requests of a chain to the slice that a part of its first call goes to; returns null if all those
     * calls have ended.
     */
    private @Nullable Frame frame(List<Call<?>> chain, Call<?> first, int part, boolean again) {
        int slice = first.parts().slice(part);
        Peer peer = first.parts().peer(part);
        List<Call<?>> claimed = new ArrayList<>();
        for (Call<?> call : chain) {
            int its = call.parts().of(slice, peer);
            if (call == first || its >= 0 && call.parts().claim(its, peer, again) != null) {
                claimed.add(call);
            }
        }
        while (true) {
            Frame frame = frame(claimed, slice, peer);
            if (frame == null || !claimed.removeIf(Call::isEnded)) {
                return frame;
            }
            frame.release();
        }
    }

    private @Nullable Frame frame(List<Call<?>> calls, int slice, Peer peer) {
        List<TupleWriter> writers = this.writers.get();
        List<RequestHeader> headers = new ArrayList<>();
        RequestHeader.Step step = RequestHeader.Step.NONE;
        try {
            for (Call<?> call : calls) {
                if (writers.size() == headers.size()) {
                    writers.add(new TupleWriter());
                }
                TupleWriter writer = writers.get(headers.size());
                writer.reset();
                int part = call.parts().of(slice, peer);
                if (Request.write(call, part, writer)) {
                    headers.add(Request.header(call, part));
                    TaskStep its = call.limits().step();
                    step = its == null ? step : its.header(call.parts(), part);
                }
            }
            if (headers.isEmpty()) {
                return null;
            }
            return headers.size() == 1 && step.isNone()
                    ? Frames.request(pool, headers.get(0), writers.get(0))
                    : Frames.chain(pool, step, headers, writers.subList(0, headers.size()));
        } finally {
            writers.forEach(TupleWriter::reset);
        }
    }

    /** Returns the bytes of all requests sent, including the frames' headers. */
    long bytesSent() {
        return bytesSent.sum();
    }
}

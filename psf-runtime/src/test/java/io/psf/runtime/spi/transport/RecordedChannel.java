package io.psf.runtime.spi.transport;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.TupleWriter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A channel that records the frames that are sent over it. A test is the other side. */
public class RecordedChannel implements Channel {
    private final FramePool pool = new FramePool(1 << 20);
    private final BlockingQueue<Frame> sent = new LinkedBlockingQueue<>();
    private volatile boolean open = true;
    private long silenceLimit;

    @SuppressWarnings("NullAway.Init") // by connect
    private Receiver receiver;

    /** Returns a transport that connects this channel. */
    public Transport transport() {
        return new Transport() {
            @Override
            public Listener listen(String host, int port, Acceptor acceptor) {
                throw new AssertionError("not reached");
            }

            @Override
            public Channel connect(String host, int port, Acceptor acceptor) {
                connectTo(acceptor);
                return RecordedChannel.this;
            }

            @Override
            public void close() {}
        };
    }

    /** Connects this channel. */
    public void connectTo(Acceptor acceptor) {
        receiver = acceptor.accept(this);
    }

    /** The frames that were sent, oldest first. */
    public List<Frame> sent() {
        return List.copyOf(sent);
    }

    /** Waits for a frame that is sent, and takes it. */
    public Frame take() {
        try {
            return sent.take();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The request that was sent last. */
    public Frame lastRequest() {
        return sent.stream()
                .filter(frame -> frame.kind() == Frame.Kind.REQUEST)
                .reduce((one, other) -> other)
                .orElseThrow();
    }

    /** Answers a request with a number. */
    public void answer(FunctionInfo info, Frame request, int number) {
        TupleWriter tuple = new TupleWriter();
        tuple.i32(number);
        Frame answer = Frames.of(pool, new Draft() {
            @Override
            public int length() {
                return Frames.length(tuple);
            }

            @Override
            public boolean writeTo(ByteBuffer out) {
                Frames.answer(out, info, request, tuple);
                return true;
            }
        });
        receiver.received(this, Objects.requireNonNull(answer));
    }

    /** Refuses a request. */
    public void refuse(Frame request, Code code, String detail) {
        receiver.received(this, Frames.refusal(pool, request, new PsException(code, detail)));
    }

    /** Lets a frame arrive. */
    public void receive(Frame frame) {
        receiver.received(this, frame);
    }

    /** Asks whether the memory for a frame may be taken, as a transport does that has read a header. */
    public boolean admits(int length) {
        return receiver.admits(this, length);
    }

    /** Takes all frames that were sent, as the peer does that was slow. */
    public void takeAll() {
        sent.forEach(frame -> receiver.sent(this, frame.length()));
        sent.clear();
    }

    /** Ends the channel as a lost connection does. */
    public void breakOff(PsException cause) {
        open = false;
        receiver.closed(this, cause);
    }

    /** The limit of {@link #keepAlive}; 0 for none. */
    public long silenceLimit() {
        return silenceLimit;
    }

    @Override
    public void keepAlive(long limitNanos) {
        silenceLimit = limitNanos;
    }

    @Override
    public void send(Frame frame, long deadline) {
        sent.add(frame);
    }

    @Override
    public void offer(Frame frame) {
        sent.add(frame);
    }

    @Override
    public void setReading(boolean reading) {}

    @Override
    public void trust() {}

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public String peer() {
        return "test";
    }

    @Override
    public void close() {
        open = false;
    }
}

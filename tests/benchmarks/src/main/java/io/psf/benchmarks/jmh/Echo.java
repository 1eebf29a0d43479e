package io.psf.benchmarks.jmh;

import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.Receiver;
import java.nio.ByteBuffer;

/** A channel to a server that answers at once, on the caller's thread, with the same tuple. */
final class Echo implements Channel {
    private static final int CALL = 24;
    private static final int SLICE = 20;

    private final FramePool pool;
    private final Receiver receiver;
    private final ByteBuffer answer;

    /** Creates an echo that answers each request of a function with one tuple. */
    Echo(FramePool pool, Acceptor acceptor, FunctionInfo function, TupleWriter answer) {
        this.pool = pool;
        Frame any = pool.acquire(Frame.HEADER);
        Frame whole = pool.acquire(Frames.length(answer));
        Frames.answer(whole.bytes(), function, any, answer);
        this.answer = whole.bytes().flip();
        any.release();
        this.receiver = acceptor.accept(this);
    }

    @Override
    public void send(Frame request, long deadline) {
        receiver.received(this, answer(request.slice(), request.call()));
        request.release();
    }

    /** Returns an answer in the form in which it would be received. */
    Frame answer(int slice, long call) {
        int length = answer.limit();
        Frame frame = pool.acquire(length);
        ByteBuffer bytes = frame.bytes();
        for (int at = 0; at < length; at += 8) { // bulk copies between buffers would allocate views
            bytes.putLong(at, answer.getLong(at));
        }
        bytes.putInt(SLICE, slice).putLong(CALL, call);
        return frame;
    }

    @Override
    public void offer(Frame frame) {
        frame.release();
    }

    @Override
    public void setReading(boolean reading) {}

    @Override
    public void trust() {}

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public String peer() {
        return "echo";
    }

    @Override
    public void close() {}
}

package io.psf.runtime.internal.transport.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/** A TLS handshake, step by step, for either end. Used by one thread at a time. */
final class TlsSteps {
    /** What the next step needs. */
    enum Need {
        /** Bytes of the peer. */
        BYTES,
        /** That the bytes to the peer are {@link #flush written}. */
        CAPACITY,
        /** The handshake is complete. */
        NOTHING
    }

    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    /** The capacity for received bytes at first: most handshakes fit. */
    private static final int SMALL = 4 << 10;

    private final SSLEngine engine;
    /** Received bytes, from the position to the limit. */
    private ByteBuffer in = ByteBuffer.allocate(SMALL).limit(0);
    /** Bytes to the peer, from the position to the limit. */
    private ByteBuffer out = NONE;

    TlsSteps(SSLEngine engine) throws SSLException {
        this(engine, NONE);
    }

    /**
     * Begins a handshake.
     *
     * @param received the first bytes of the peer
     */
    TlsSteps(SSLEngine engine, ByteBuffer received) throws SSLException {
        this.engine = engine;
        in.clear().put(received).flip();
        engine.beginHandshake();
    }

    SSLEngine engine() {
        return engine;
    }

    /** Returns the received bytes that are not used up. */
    ByteBuffer received() {
        return in;
    }

    /**
     * Reads what has arrived, as much as there is capacity for.
     *
     * @return the number of bytes, -1 if no more will arrive
     */
    int receive(ReadableByteChannel from) throws IOException {
        if (in.remaining() == in.capacity()) {
            int most = engine.getSession().getPacketBufferSize();
            if (in.capacity() >= most) {
                throw new SSLException("a record is longer than " + most + " bytes");
            }
            in = ByteBuffer.allocate(Math.min(most, 4 * in.capacity())).put(in);
        } else {
            in.compact();
        }
        try {
            return from.read(in);
        } finally {
            in.flip();
        }
    }

    /** Writes what the last steps have made. False if some of it is left. Does not block, unless a write does. */
    boolean flush(WritableByteChannel to) throws IOException {
        if (out.hasRemaining()) {
            to.write(out);
        }
        if (out.hasRemaining()) {
            return false;
        }
        out = NONE; // the peer may take long to answer
        return true;
    }

    /** Takes steps until one needs something. Takes some milliseconds, and does not block. */
    Need proceed() throws SSLException {
        ByteBuffer records = NONE;
        try {
            while (true) {
                switch (engine.getHandshakeStatus()) {
                    case NEED_TASK -> runTasks();
                    case NEED_WRAP -> {
                        int most = engine.getSession().getPacketBufferSize(); // what the engine wants capacity for
                        if (records.capacity() == 0) {
                            records = ByteBuffer.allocate(2 * most);
                        }
                        if (records.remaining() < most) {
                            return Need.CAPACITY;
                        }
                        if (engine.wrap(NONE.duplicate(), records).getStatus() != SSLEngineResult.Status.OK) {
                            throw new SSLException("the handshake was ended");
                        }
                    }
                    case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                        SSLEngineResult.Status status =
                                engine.unwrap(in, NONE.duplicate()).getStatus();
                        if (status == SSLEngineResult.Status.CLOSED) {
                            throw new SSLException("the other end closed the connection in the handshake");
                        }
                        if (status == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
                            return Need.BYTES;
                        }
                    }
                    default -> {
                        return Need.NOTHING;
                    }
                }
            }
        } finally {
            out = records.flip();
        }
    }

    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    /** Tells the peer why the handshake has failed, as far as that works at once. */
    void sendAlert(WritableByteChannel to) {
        try {
            engine.closeOutbound();
            ByteBuffer alert = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
            engine.wrap(NONE, alert);
            to.write(alert.flip());
        } catch (IOException | RuntimeException e) {
            out = NONE; // the connection is closed in any case
        }
    }
}

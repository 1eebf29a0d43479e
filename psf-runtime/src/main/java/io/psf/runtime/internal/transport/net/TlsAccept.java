package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.TlsEngines;
import io.psf.runtime.spi.transport.TlsFailure;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * The TLS handshake of a connection that the peer has begun, and then that of its first frame. A peer without TLS is told
 * so if it sends a frame.
 */
final class TlsAccept implements Handshake {
    /** The first byte of a record of a handshake. No frame begins with it, since lengths are multiples of 8. */
    private static final byte HANDSHAKE = 0x16;

    private static final int DRAINED = 64 << 10;

    private final SocketChannel socket;
    private final TlsEngines engines;
    private final TlsTasks tasks;
    private final FramePool pool;
    private final boolean mayShare;

    private final TlsSteps steps;
    private boolean begun;
    /** True while the tasks' thread has the engine. Written by that thread last. */
    private volatile boolean busy;

    private int interest = SelectionKey.OP_READ;
    private Runnable onReady = () -> {};
    /** The handshake over the encrypted bytes; null until there are some. */
    private @Nullable FirstFrame first;

    TlsAccept(SocketChannel socket, TlsEngines engines, TlsTasks tasks, FramePool pool, boolean mayShare)
            throws IOException {
        this.socket = socket;
        this.engines = engines;
        this.tasks = tasks;
        this.pool = pool;
        this.mayShare = mayShare;
        this.steps = new TlsSteps(engines.accepting());
    }

    @Override
    public void onReady(Runnable proceed) {
        onReady = proceed;
    }

    @Override
    public @Nullable ByteWire proceed() throws IOException {
        if (busy) {
            return null;
        }
        if (first == null) {
            if (!begun && !begins()) {
                return null;
            }
            first = secured();
        }
        return first == null ? null : first.proceed();
    }

    /** True if the first byte is that of a TLS handshake. */
    private boolean begins() throws IOException {
        int n = steps.receive(socket);
        ByteBuffer bytes = steps.received();
        if (bytes.hasRemaining() && bytes.get(0) == HANDSHAKE) {
            begun = true;
            return true;
        }
        if (bytes.remaining() >= Frame.BEGINNING) {
            throw refusal(bytes.order(ByteOrder.LITTLE_ENDIAN));
        }
        if (n < 0) {
            throw new EOFException("connection closed");
        }
        return false;
    }

    private TlsFailure refusal(ByteBuffer bytes) throws IOException {
        String sentence = "this node requires TLS (expected: " + TlsEngines.SETTINGS + " at the other end, too)";
        try {
            Frame.requireKind(bytes, 0, bytes.remaining());
        } catch (PsException e) {
            return new TlsFailure("neither TLS nor a frame (expected: a node with " + TlsEngines.SETTINGS + ")", e);
        }
        drain(); // a socket that is closed with unread bytes may take back the refusal
        Frame frame = Frames.failure(pool, 0, 0, 0, Code.PROTOCOL, sentence);
        try {
            socket.write(frame.bytes());
        } finally {
            frame.release();
        }
        socket.shutdownOutput();
        return new TlsFailure(
                "a connection without TLS was refused (expected: " + TlsEngines.SETTINGS + " at the other end, too)");
    }

    private void drain() throws IOException {
        ByteBuffer unread = ByteBuffer.allocate(4 << 10);
        for (int all = 0, n = 1; n > 0 && all < DRAINED; all += n) {
            n = socket.read(unread.clear());
        }
    }

    private @Nullable FirstFrame secured() throws IOException {
        try {
            while (true) {
                switch (steps.proceed(socket)) {
                    case TASKS -> {
                        runTasks();
                        return null;
                    }
                    case CAPACITY -> {
                        interest = SelectionKey.OP_WRITE;
                        return null;
                    }
                    case BYTES -> {
                        interest = SelectionKey.OP_READ;
                        int n = steps.receive(socket);
                        if (n < 0) {
                            throw new EOFException("connection closed");
                        }
                        if (n == 0) {
                            return null;
                        }
                    }
                    case NOTHING -> {
                        interest = SelectionKey.OP_READ;
                        TlsWire wire = new TlsWire(socket, steps.engine(), engines, steps.received());
                        return new FirstFrame(wire, pool, mayShare);
                    }
                }
            }
        } catch (EOFException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            steps.sendAlert(socket);
            socket.shutdownOutput();
            drain();
            throw engines.failure(e);
        }
    }

    private void runTasks() throws IOException {
        busy = true;
        interest = 0; // the selector would report the bytes that wait
        boolean runs = tasks.run(() -> {
            try {
                steps.runTasks();
            } finally {
                busy = false;
                onReady.run();
            }
        });
        if (!runs) {
            throw new IOException("too many handshakes at a time");
        }
    }

    @Override
    public int interest() {
        return interest;
    }

    @Override
    public int received() {
        return first == null ? 0 : first.received(); // the limit of a hello is that of the TLS handshake
    }

    @Override
    public int expected() {
        return first == null ? Frame.HEADER : first.expected();
    }

    @Override
    public ByteWire giveUp() throws IOException {
        if (first == null) {
            throw new TlsFailure("the handshake is not complete (expected: within the limit of a hello)");
        }
        return first.giveUp();
    }
}

package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.HandshakeTasks;
import io.psf.runtime.spi.transport.TlsEngines;
import io.psf.runtime.spi.transport.TlsFailure;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The TLS handshake of a connection that the peer has begun, and then the handshake of its first frame. A peer without
 * TLS is told so if it sends a frame.
 */
final class TlsAccept implements Handshake {
    /** The first byte of a record of a handshake. No frame begins with it, since lengths are multiples of 8. */
    private static final byte HANDSHAKE = 0x16;

    private static final int DRAINED = 64 << 10;

    private final SocketChannel socket;
    private final TlsEngines engines;
    private final HandshakeTasks.Stranger tasks;
    private final FramePool pool;
    private final boolean mayShare;

    /** The bytes that arrive before there are steps: the first one decides. */
    private final ByteBuffer beginning = ByteBuffer.allocate(Frame.BEGINNING).order(ByteOrder.LITTLE_ENDIAN);

    /** Null before the first byte of a handshake. Written on the tasks' thread. */
    private @Nullable TlsSteps steps;
    /** What the steps need. Written on the tasks' thread. */
    private TlsSteps.Need need = TlsSteps.Need.CAPACITY;
    /** Written on the tasks' thread. */
    private @Nullable Exception failure;
    /** True while the tasks' thread has the fields above. */
    private volatile boolean busy;

    private int interest = SelectionKey.OP_READ;
    private Runnable onReady = () -> {};
    /** The handshake over the encrypted bytes; null until there are some. */
    private @Nullable FirstFrame first;

    TlsAccept(
            SocketChannel socket, TlsEngines engines, HandshakeTasks.Stranger tasks, FramePool pool, boolean mayShare) {
        this.socket = socket;
        this.engines = engines;
        this.tasks = tasks;
        this.pool = pool;
        this.mayShare = mayShare;
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
            if (steps == null && failure == null) {
                begin();
                return null;
            }
            first = secured();
        }
        return first == null ? null : first.proceed();
    }

    /** Begins TLS if the first byte begins a handshake. */
    private void begin() throws IOException {
        int n = socket.read(beginning);
        if (beginning.position() > 0 && beginning.get(0) == HANDSHAKE) {
            advance();
        } else if (!beginning.hasRemaining()) {
            throw refusal(beginning.flip());
        } else if (n < 0) {
            throw new EOFException("connection closed");
        }
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
        TlsSteps made = steps;
        if (made == null || failure != null) {
            throw refused(failure == null ? new IOException("no steps") : failure);
        }
        if (!made.flush(socket)) {
            interest = SelectionKey.OP_WRITE;
            return null;
        }
        switch (need) {
            case CAPACITY -> advance();
            case BYTES -> {
                interest = SelectionKey.OP_READ;
                int n = made.receive(socket);
                if (n < 0) {
                    throw new EOFException("connection closed");
                }
                if (n > 0) {
                    advance();
                }
            }
            case NOTHING -> {
                tasks.completed();
                interest = SelectionKey.OP_READ;
                return new FirstFrame(new TlsWire(socket, made.engine(), engines, made.received()), pool, mayShare);
            }
        }
        return null;
    }

    /** Takes the next steps on the tasks' thread. */
    private void advance() throws IOException {
        busy = true;
        interest = 0; // the selector would report the bytes that wait
        try {
            tasks.execute(this::work);
        } catch (RejectedExecutionException e) {
            throw new IOException("the transport is closed", e);
        }
    }

    private void work() {
        try {
            if (!socket.isOpen()) {
                return; // given up meanwhile
            }
            if (steps == null) {
                steps = new TlsSteps(engines.accepting(), beginning.flip());
            }
            need = steps.proceed();
        } catch (IOException | RuntimeException e) {
            failure = e;
        } catch (Error e) { // no memory
            failure = new IOException("the handshake failed: " + e, e);
        } finally {
            busy = false;
            onReady.run();
        }
    }

    private TlsFailure refused(Exception why) throws IOException {
        if (steps != null) {
            steps.flush(socket);
            steps.sendAlert(socket);
        }
        socket.shutdownOutput();
        drain();
        return engines.failure(why);
    }

    @Override
    public int interest() {
        return interest;
    }

    @Override
    public int received() {
        return first == null ? 0 : first.received(); // the TLS handshake's limit covers the hello
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

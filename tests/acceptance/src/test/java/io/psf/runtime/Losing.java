package io.psf.runtime;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.Receiver;
import io.psf.runtime.spi.transport.Transport;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** A transport that loses some of the frames that it sends. A lost frame closes its channel. */
final class Losing implements Transport {
    private final Transport inner;
    private final LongPredicate loses;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong connections = new AtomicLong();

    /**
     * Creates a transport around another one.
     *
     * @param loses whether the frame of a number is lost, counted from 1 over all channels
     */
    Losing(Transport inner, LongPredicate loses) {
        this.inner = inner;
        this.loses = loses;
    }

    @Override
    public Listener listen(String host, int port, Acceptor acceptor) {
        return inner.listen(host, port, new Accepted(acceptor));
    }

    @Override
    public Channel connect(String host, int port, Acceptor acceptor) {
        connections.incrementAndGet();
        Accepted accepted = new Accepted(acceptor);
        inner.connect(host, port, accepted);
        return Objects.requireNonNull(accepted.latest); // the receiver has the same object
    }

    /** How many frames were sent or lost. */
    long frames() {
        return sent.get();
    }

    /** How many connections were made. */
    long connections() {
        return connections.get();
    }

    @Override
    public void await(BooleanSupplier over, long deadline) throws InterruptedException {
        inner.await(over, deadline);
    }

    @Override
    public void close() {
        inner.close();
    }

    private final class Accepted implements Acceptor {
        private final Acceptor acceptor;
        private volatile @Nullable Lossy latest;

        Accepted(Acceptor acceptor) {
            this.acceptor = acceptor;
        }

        @Override
        public Receiver accept(Channel channel) {
            Lossy mine = new Lossy(channel);
            latest = mine;
            Receiver receiver = acceptor.accept(mine);
            return new Receiver() {
                @Override
                public void received(Channel unused, Frame frame) {
                    receiver.received(mine, frame);
                }

                @Override
                public boolean takesLent() {
                    return receiver.takesLent();
                }

                @Override
                public boolean admits(Channel unused, int length) {
                    return receiver.admits(mine, length);
                }

                @Override
                public void sent(Channel unused, long bytes) {
                    receiver.sent(mine, bytes);
                }

                @Override
                public void closed(Channel unused, PsException cause) {
                    receiver.closed(mine, cause);
                }
            };
        }

        @Override
        public boolean isBusy() {
            return acceptor.isBusy();
        }
    }

    private final class Lossy implements Channel {
        private final Channel channel;

        Lossy(Channel channel) {
            this.channel = channel;
        }

        /** Takes a frame; true if it is lost. */
        private boolean loses(Frame frame) {
            if (!channel.isOpen() || !loses.test(sent.incrementAndGet())) {
                return false;
            }
            frame.release();
            channel.close();
            return true;
        }

        @Override
        public void send(Frame frame, long deadline) {
            if (!loses(frame)) {
                channel.send(frame, deadline);
            }
        }

        @Override
        public void offer(Frame frame) {
            if (!loses(frame)) {
                channel.offer(frame);
            }
        }

        @Override
        public boolean mayRunHandlers() {
            return channel.mayRunHandlers();
        }

        @Override
        public void mayTakeLong() {
            channel.mayTakeLong();
        }

        @Override
        public void setReading(boolean reading) {
            channel.setReading(reading);
        }

        @Override
        public void trust() {
            channel.trust();
        }

        @Override
        public void keepAlive(long limitNanos) {
            channel.keepAlive(limitNanos);
        }

        @Override
        public void useChecksums() {
            channel.useChecksums();
        }

        @Override
        public boolean isOpen() {
            return channel.isOpen();
        }

        @Override
        public String peer() {
            return channel.peer();
        }

        @Override
        public void close() {
            channel.close();
        }
    }
}

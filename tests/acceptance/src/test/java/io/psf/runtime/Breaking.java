package io.psf.runtime;

import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Transport;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A transport whose connections can be broken, with whatever is on its way. */
final class Breaking implements Transport {
    private static final long USEFUL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Transport inner;
    private final List<Opened> channels = new CopyOnWriteArrayList<>();
    private final Set<Integer> stillborn = new CopyOnWriteArraySet<>();

    private record Opened(Channel channel, long at) {}

    Breaking(Transport inner) {
        this.inner = inner;
    }

    @Override
    public Listener listen(String host, int port, Acceptor acceptor) {
        return inner.listen(host, port, acceptor);
    }

    @Override
    public Channel connect(String host, int port, Acceptor acceptor) {
        Channel channel = inner.connect(host, port, acceptor);
        channels.add(new Opened(channel, System.nanoTime()));
        if (stillborn.contains(channels.size() - 1)) {
            channel.close();
        }
        return channel;
    }

    /** Breaks connections as soon as they are made: by number, the first one, to the scheduler, being 0. */
    Breaking breaking(Integer... numbers) {
        stillborn.addAll(List.of(numbers));
        return this;
    }

    /**
     * Breaks a connection, the scheduler's or a server's. Most often one that has had time to be of use: on a busy
     * machine there would be no other end to it.
     */
    void breakOne() {
        long now = System.nanoTime();
        long age = ThreadLocalRandom.current().nextInt(4) == 0 ? 0 : USEFUL_NANOS;
        List<Channel> open = channels.stream()
                .filter(opened -> now - opened.at >= age)
                .map(Opened::channel)
                .filter(Channel::isOpen)
                .toList();
        if (!open.isEmpty()) {
            open.get(ThreadLocalRandom.current().nextInt(open.size())).close();
        }
    }

    /** How many connections there have been. */
    int connections() {
        return channels.size();
    }

    @Override
    public void await(BooleanSupplier over, long deadline) throws InterruptedException {
        inner.await(over, deadline);
    }

    @Override
    public void close() {
        inner.close();
    }
}

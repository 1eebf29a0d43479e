package io.psf.runtime;

import io.psf.runtime.call.Channel;
import io.psf.runtime.call.Receiver;
import io.psf.runtime.call.Transport;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;

/** A transport whose connections can be broken, with whatever is on its way. */
final class Breaking implements Transport {
    private final Transport inner;
    private final List<Channel> channels = new CopyOnWriteArrayList<>();

    Breaking(Transport inner) {
        this.inner = inner;
    }

    @Override
    public Listener listen(String host, int port, Receiver receiver) {
        return inner.listen(host, port, receiver);
    }

    @Override
    public Channel connect(String host, int port, Receiver receiver) {
        Channel channel = inner.connect(host, port, receiver);
        channels.add(channel);
        return channel;
    }

    /** Breaks a connection, other than the first one, which is the scheduler's. */
    void breakOne() {
        List<Channel> open = channels.stream().skip(1).filter(Channel::isOpen).toList();
        if (!open.isEmpty()) {
            open.get(ThreadLocalRandom.current().nextInt(open.size())).close();
        }
    }

    /** How many connections there have been. */
    int connections() {
        return channels.size();
    }

    @Override
    public void close() {
        inner.close();
    }
}

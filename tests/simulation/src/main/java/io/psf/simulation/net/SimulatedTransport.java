package io.psf.simulation.net;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Transport;
import io.psf.simulation.machine.NodeThreads;
import java.util.ArrayList;
import java.util.List;

/** The transport of one node on the simulated network. */
final class SimulatedTransport implements Transport {
    private final SimulatedNetwork network;
    private final NodeThreads node;
    private final FramePool pool;
    private final List<Listening> listening = new ArrayList<>();
    private final List<SimulatedChannel> connected = new ArrayList<>();
    private boolean isClosed;

    SimulatedTransport(SimulatedNetwork network, NodeThreads node, FramePool pool) {
        this.network = network;
        this.node = node;
        this.pool = pool;
    }

    @Override
    public Listener listen(String host, int port, Acceptor acceptor) {
        Listening made = new Listening(acceptor);
        made.port = network.bind(port, made);
        listening.add(made);
        return made;
    }

    @Override
    public Channel connect(String host, int port, Acceptor acceptor) {
        Listening to = network.reach(node, port);
        if (isClosed) {
            throw new PsException(PsException.Code.UNAVAILABLE, "transport: closed");
        }
        SimulatedChannel near = new SimulatedChannel(network, node, pool, host + ":" + port);
        SimulatedChannel far = new SimulatedChannel(network, to.node(), to.pool(), node.name());
        near.connect(far, acceptor, to.acceptor);
        connected.removeIf(each -> !each.isOpen());
        to.accepted.removeIf(each -> !each.isOpen());
        connected.add(near);
        to.accepted.add(far);
        return near;
    }

    @Override
    public void close() {
        isClosed = true;
        List.copyOf(listening).forEach(Listening::close);
        List.copyOf(connected).forEach(SimulatedChannel::close);
    }

    /** A port that is listened on. */
    final class Listening implements Listener {
        private final Acceptor acceptor;
        private final List<SimulatedChannel> accepted = new ArrayList<>();
        private int port;

        Listening(Acceptor acceptor) {
            this.acceptor = acceptor;
        }

        NodeThreads node() {
            return node;
        }

        FramePool pool() {
            return pool;
        }

        @Override
        public int port() {
            return port;
        }

        @Override
        public void close() {
            network.unbind(port, this);
            List.copyOf(accepted).forEach(SimulatedChannel::close);
            accepted.clear();
        }
    }
}

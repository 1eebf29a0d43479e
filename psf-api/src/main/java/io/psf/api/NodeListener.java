package io.psf.api;

import java.util.List;

/** Learns which node it listens to. The listeners of calls and of requests extend it. */
public interface NodeListener {
    /**
     * The node has started, or had started before this listener was added. Called once for each node that the listener
     * is added to, on the thread that starts the node or adds the listener. Events may arrive before.
     *
     * @param node the node
     * @param gauges what can be read of the node until it is closed
     */
    default void started(NodeInfo node, List<Gauge> gauges) {}
}

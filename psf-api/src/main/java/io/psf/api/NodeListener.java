package io.psf.api;

import java.util.List;
import java.util.function.Supplier;

/** Learns which node it listens to. The listeners of calls and of requests extend it. */
public interface NodeListener {
    /**
     * The node has started, or had started before this listener was added. Called once for each node that the listener
     * is added to, on the thread that starts the node or adds the listener. Events may arrive before.
     *
     * @param node the node
     * @param metrics returns the numbers of the node until it is closed. It asks the lanes, and waits for them for up to a
     *     second; a lane that is busy for longer shows its last numbers. Must not be called on a lane
     */
    default void started(NodeInfo node, Supplier<List<Metric>> metrics) {}
}

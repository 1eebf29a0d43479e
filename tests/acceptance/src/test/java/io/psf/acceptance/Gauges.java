package io.psf.acceptance;

import io.psf.api.CallListener;
import io.psf.api.Metric;
import io.psf.api.NodeInfo;
import io.psf.api.RequestListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** A listener that reads the numbers of its node. */
final class Gauges implements RequestListener {
    final List<NodeInfo> nodes = new CopyOnWriteArrayList<>();
    private volatile Supplier<List<Metric>> metrics = List::of;

    @Override
    public void started(NodeInfo node, Supplier<List<Metric>> all) {
        nodes.add(node);
        metrics = all;
    }

    /** Returns the same for a worker. */
    CallListener ofWorker() {
        return new CallListener() {
            @Override
            public void started(NodeInfo node, Supplier<List<Metric>> all) {
                Gauges.this.started(node, all);
            }
        };
    }

    /** Returns all numbers. */
    List<Metric> all() {
        return metrics.get();
    }

    /** Returns a number, combined over its labels. */
    double read(String name) {
        return metric(name).value();
    }

    Metric metric(String name) {
        return all().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + ": no number of the node"));
    }
}

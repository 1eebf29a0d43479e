package io.psf.acceptance;

import io.psf.api.Gauge;
import io.psf.api.NodeInfo;
import io.psf.api.RequestListener;
import java.util.List;

/** The gauges of a node. */
final class Gauges implements RequestListener {
    private volatile List<Gauge> gauges = List.of();

    @Override
    public void started(NodeInfo node, List<Gauge> gauges) {
        this.gauges = gauges;
    }

    long read(String name) {
        return gauges.stream()
                .filter(gauge -> gauge.name().equals(name))
                .findFirst()
                .orElseThrow()
                .value()
                .getAsLong();
    }
}

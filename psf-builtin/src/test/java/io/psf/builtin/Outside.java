package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.PsException;
import io.psf.api.spi.ForwardingCaller;
import java.time.Duration;

/** A caller that is no member of the cluster, and has no rank. */
final class Outside extends ForwardingCaller {
    static final String REFUSED = "rank of a client: none (expected: a worker, which has one)";

    private final ClusterCaller cluster;

    Outside(ClusterCaller cluster) {
        this.cluster = cluster;
    }

    @Override
    protected ClusterCaller to() {
        return cluster;
    }

    @Override
    public int rank() {
        throw new PsException(PsException.Code.BAD_REQUEST, REFUSED);
    }

    @Override
    public void barrier() {
        throw new PsException(PsException.Code.BAD_REQUEST, REFUSED);
    }

    @Override
    public void barrier(Duration limit) {
        barrier();
    }
}

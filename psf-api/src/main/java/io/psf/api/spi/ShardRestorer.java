package io.psf.api.spi;

import io.psf.api.Caller;
import io.psf.api.DeclaredTensor;
import io.psf.api.TensorId;
import java.util.List;

/**
 * Makes and loads the shards of a server that takes the place of a lost one, before the server takes calls. A service:
 * its artifact has {@code META-INF/services/io.psf.api.spi.ShardRestorer}.
 */
public interface ShardRestorer {
    /**
     * Makes the shards that the server owns, and loads them from the newest checkpoints. Blocks.
     *
     * @param here makes calls that run on this server alone
     * @param servers makes calls that run on all servers
     * @param tensors the declared tensors with slices on this server, memories of functions included
     * @param epoch the epoch of the cluster's state that has them
     * @param models the names of the models that have checkpoints in the server's directory
     * @return the tensors whose slices no checkpoint has: they are cleared on all servers, and their declarations end
     * @throws io.psf.api.PsException with {@code STORAGE} if a model's checkpoints are all damaged or missing
     */
    List<TensorId> restore(Caller here, Caller servers, List<DeclaredTensor> tensors, long epoch, List<String> models);
}

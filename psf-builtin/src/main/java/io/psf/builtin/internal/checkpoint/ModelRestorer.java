package io.psf.builtin.internal.checkpoint;

import io.psf.api.Caller;
import io.psf.api.DeclaredTensor;
import io.psf.api.TensorId;
import io.psf.api.spi.ShardRestorer;
import io.psf.builtin.internal.allreduce.MakeReductionPsf;
import io.psf.builtin.internal.allreduce.ReduceValues;
import io.psf.builtin.tensor.ClearPsf;
import io.psf.builtin.tensor.InitTensorPsf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Restores the shards of a server from the checkpoints of models. The memory of all-reduces begins empty. */
public final class ModelRestorer implements ShardRestorer {
    private static final Duration LIMIT = Duration.ofHours(2);

    @Override
    public List<TensorId> restore(
            Caller here, Caller servers, List<DeclaredTensor> tensors, long epoch, List<String> models) {
        List<TensorId> ofModels = new ArrayList<>();
        for (DeclaredTensor tensor : tensors) {
            String function = tensor.declaration().memoryOf();
            if (function.isEmpty()) {
                ofModels.add(tensor.id());
            } else if (function.equals(ReduceValues.NAME)) {
                MakeReductionPsf.stub(here)
                        .withDeadline(LIMIT)
                        .call(tensor.id(), epoch)
                        .await();
            }
        }
        InitTensorPsf.stub(here).withDeadline(LIMIT).call(ofModels, epoch).await();
        List<TensorId> loaded = RestoreModelsPsf.stub(here)
                .withDeadline(LIMIT)
                .call(models)
                .await()
                .loaded();
        List<TensorId> missing =
                ofModels.stream().filter(each -> !loaded.contains(each)).toList();
        for (TensorId each : missing) {
            ClearPsf.stub(servers).withDeadline(LIMIT).call(each).await();
        }
        return missing;
    }
}

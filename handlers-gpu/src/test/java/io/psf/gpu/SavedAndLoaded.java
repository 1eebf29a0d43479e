package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.array.FloatType;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import java.util.List;
import java.util.Random;

/** Tensors that are saved at each of some placements, and loaded at each of them. Runs on the host alone, too. */
final class SavedAndLoaded {
    private static final int WIDTH = 6;
    private static final int KEYS = 2000;
    private static final int BOUND = 4000;

    private SavedAndLoaded() {}

    /** Compares the values and the optimizer's state of each loaded tensor with those of the saved one. */
    static void check(Worker worker, List<String> placements, FloatType storage, Random random) {
        long[] keys = random.longs(KEYS, 0, BOUND).toArray();
        float[] update = new float[KEYS * WIDTH];
        for (int i = 0; i < update.length; i++) {
            update[i] = (float) random.nextGaussian();
        }
        for (TensorSpec shape : List.of(TensorSpec.table("saved", BOUND, WIDTH), TensorSpec.growing("saved", WIDTH))) {
            TensorSpec spec = shape.optimizer(Optimizers.adam(0.01)).storage(storage);
            for (String from : placements) {
                String checkpoint = "from-" + from;
                TensorId tensor = Tensors.init(worker, spec.placement(from));
                for (int step = 0; step < 3; step++) {
                    Tensors.pushRows(worker, tensor, keys, update).await();
                }
                float[] saved = rows(worker, tensor, keys);
                Tensors.save(worker, tensor, checkpoint);
                Tensors.pushRows(worker, tensor, keys, update).await();
                float[] later = rows(worker, tensor, keys);
                Tensors.clear(worker, tensor);
                for (String to : placements) {
                    TensorId loaded = Tensors.init(worker, spec.placement(to).slices(3));
                    Tensors.load(worker, loaded, checkpoint);
                    assertThat(rows(worker, loaded, keys))
                            .as(from + " to " + to)
                            .isEqualTo(saved);
                    Tensors.pushRows(worker, loaded, keys, update).await(); // the optimizer's state was saved, too
                    assertThat(rows(worker, loaded, keys))
                            .as(from + " to " + to)
                            .isEqualTo(later);
                    Tensors.clear(worker, loaded);
                }
            }
        }
    }

    private static float[] rows(Worker worker, TensorId tensor, long[] keys) {
        float[] values = new float[keys.length * WIDTH];
        Tensors.pullRows(worker, tensor, keys, values).await();
        return values;
    }
}

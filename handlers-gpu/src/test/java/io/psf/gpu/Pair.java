package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;

/**
 * The same tensor twice, on the host and on a device: whatever is done to both gives equal bits.
 *
 * @param host the tensor in the servers' own memory
 * @param device the tensor on their devices
 */
record Pair(TensorId host, TensorId device) {
    static Pair init(Worker worker, TensorSpec spec) {
        String name = spec.tensor().id().name();
        return new Pair(
                Tensors.init(worker, spec.named(name + ".host").placement("host")),
                Tensors.init(worker, spec.named(name + ".device").device()));
    }

    void clear(Worker worker) {
        Tensors.clear(worker, host);
        Tensors.clear(worker, device);
    }

    /** Compares all values of both. */
    void requireEqual(Worker worker) {
        assertThat(Tensors.pull(worker, device)).isEqualTo(Tensors.pull(worker, host));
    }

    /** Compares rows of both. */
    void requireEqual(Worker worker, long[] keys, int width) {
        float[] onHost = new float[keys.length * width];
        float[] onDevice = new float[onHost.length];
        java.util.Arrays.fill(onDevice, Float.NaN);
        Tensors.pullRows(worker, host, keys, onHost).await();
        Tensors.pullRows(worker, device, keys, onDevice).await();
        assertThat(onDevice).isEqualTo(onHost);
    }
}

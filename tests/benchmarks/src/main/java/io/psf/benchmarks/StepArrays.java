package io.psf.benchmarks;

import io.psf.api.array.FloatArray;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The arrays of {@link Step}, attached to the shard. */
final class StepArrays {
    /** The update, off-heap like an update in a received frame. */
    final FloatArray update;

    final float[] x;
    final float[] y;

    StepArrays(int floats) {
        update = FloatArray.view(ByteBuffer.allocateDirect(4 * floats));
        update.fill(1e-3f);
        x = new float[floats];
        y = new float[floats];
        Arrays.fill(x, 1);
    }
}

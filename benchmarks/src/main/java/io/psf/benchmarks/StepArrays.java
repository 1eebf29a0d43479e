package io.psf.benchmarks;

import io.psf.api.array.FloatArray;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** What {@link Step} works with, beside the shard. */
final class StepArrays {
    /** Off the heap, as an update is that has come in a frame. */
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

package io.psf.spark.ml.functions;

import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;

/** Returns the cosine of the angle between a vector and each row of a tensor; 0 if one of them is zeros. */
@PsFunction(value = "psf.spark.cosines", readOnly = true)
public interface Cosines {
    /**
     * The vector.
     *
     * @param tensor the tensor of the rows
     * @param vector [width] float32; borrowed until await returns
     */
    record Request(TensorId tensor, FloatArray vector) {}

    /**
     * The cosines.
     *
     * @param cosines [rows] float32
     */
    record Response(@ByRange(width = 1) FloatArray cosines) {}

    /** Returns the cosines of this shard's rows. */
    default Response handle(Request slice, Shard shard) {
        int width = shard.width();
        if (slice.vector().length() != width) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "vector: " + slice.vector().length() + " (expected: " + width + ", the width of tensor "
                            + shard.spec().id() + ")");
        }
        float[] vector = slice.vector().toArray();
        double square = dot(vector, vector);
        float[] row = new float[width];
        FloatArray values = shard.values();
        FloatArray cosines = shard.allocate(shard.rows());
        for (int i = 0; i < shard.rows(); i++) {
            values.copyTo(i * width, row, 0, width);
            double lengths = Math.sqrt(square * dot(row, row));
            cosines.set(i, lengths == 0 ? 0 : (float) (dot(row, vector) / lengths));
        }
        return new Response(cosines);
    }

    private static double dot(float[] a, float[] b) {
        double sum = 0;
        for (int d = 0; d < a.length; d++) {
            sum += (double) a[d] * b[d];
        }
        return sum;
    }
}

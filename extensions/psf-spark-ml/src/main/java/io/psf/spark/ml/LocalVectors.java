package io.psf.spark.ml;

import java.io.Serial;

/** The vectors in this process. */
final class LocalVectors implements VectorSource {
    @Serial
    private static final long serialVersionUID = 1;

    private final int size;
    private final float[] values;

    /**
     * Takes the vectors.
     *
     * @param values [words, size] float32
     */
    LocalVectors(int size, float[] values) {
        this.size = size;
        this.values = values;
    }

    /**
     * Returns an array for vectors.
     *
     * @throws IllegalArgumentException if there are more than an array has
     */
    static float[] allocate(int words, int size) {
        if ((long) words * size > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException(
                    "vectors in the driver: " + words + " of " + size + " dimensions (expected: at most "
                            + (Integer.MAX_VALUE - 8) + " numbers; leave them on the servers)");
        }
        return new float[words * size];
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public float[] vectors(int[] of) {
        float[] found = new float[of.length * size];
        for (int i = 0; i < of.length; i++) {
            System.arraycopy(values, of[i] * size, found, i * size, size);
        }
        return found;
    }

    @Override
    public float[] similarities(float[] vector) {
        float[] found = new float[values.length / size];
        double square = 0;
        for (float x : vector) {
            square += (double) x * x;
        }
        for (int word = 0; word < found.length; word++) {
            double product = 0;
            double length = 0;
            for (int d = 0; d < size; d++) {
                float value = values[word * size + d];
                product += (double) value * vector[d];
                length += (double) value * value;
            }
            double lengths = Math.sqrt(square * length);
            found[word] = lengths == 0 ? 0 : (float) (product / lengths);
        }
        return found;
    }
}

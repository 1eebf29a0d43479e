package io.psf.examples.nn;

/**
 * An array of a network that is trained.
 *
 * @param name unique in the network, such as {@code conv1.weight}
 * @param fanIn the number of inputs of a unit, on which initial values usually depend
 * @param values float32
 * @param gradient float32, as many as there are values
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Parameter(String name, int fanIn, float[] values, float[] gradient) {
    Parameter(String name, int fanIn, int size) {
        this(name, fanIn, new float[size], new float[size]);
    }

    /** Returns the number of values. */
    public int size() {
        return values.length;
    }
}

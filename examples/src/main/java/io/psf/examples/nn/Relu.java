package io.psf.examples.nn;

/** out = max(0, in). */
public final class Relu implements Layer {
    private final int size;

    /** Creates a layer of as many outputs as inputs. */
    public Relu(int size) {
        this.size = size;
    }

    @Override
    public int outputs() {
        return size;
    }

    @Override
    public void forward(int n, float[][] in, float[][] out) {
        for (int feature = 0; feature < size; feature++) {
            float[] from = in[feature];
            float[] into = out[feature];
            for (int i = 0; i < n; i++) {
                into[i] = Math.max(0, from[i]);
            }
        }
    }

    @Override
    public void backward(int n, float[][] in, float[][] out, float[][] ofOut, float[][] ofIn) {
        for (int feature = 0; feature < size && ofIn.length > 0; feature++) {
            float[] from = out[feature];
            float[] gradient = ofOut[feature];
            float[] into = ofIn[feature];
            for (int i = 0; i < n; i++) {
                into[i] = from[i] > 0 ? gradient[i] : 0;
            }
        }
    }
}

package io.psf.examples.nn;

import java.util.Arrays;
import java.util.List;

/** A fully connected layer: out = W in + b, with W [outputs, inputs]. */
public final class Linear implements Layer {
    private final int inputs;
    private final int outputs;
    private final Parameter weight;
    private final Parameter bias;
    private final int[] everyInput;
    private final int[] everyOutput;
    /** The inputs, [n][inputs], and a row of the gradient by the weights. */
    private float[][] transposed = new float[0][];

    private final float[] ofRow;

    /** Creates a layer, with weights of 0. */
    public Linear(String name, int inputs, int outputs) {
        this.inputs = inputs;
        this.outputs = outputs;
        this.weight = new Parameter(name + ".weight", inputs, inputs * outputs);
        this.bias = new Parameter(name + ".bias", inputs, outputs);
        this.everyInput = Rows.every(1, inputs);
        this.everyOutput = Rows.every(1, outputs);
        this.ofRow = new float[inputs];
    }

    @Override
    public int outputs() {
        return outputs;
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(weight, bias);
    }

    @Override
    public void forward(int n, float[][] in, float[][] out) {
        for (int o = 0; o < outputs; o++) {
            Arrays.fill(out[o], 0, n, bias.values()[o]);
            Rows.addSum(n, out[o], in, 0, everyInput, weight.values(), o * inputs, 1);
        }
    }

    @Override
    public void backward(int n, float[][] in, float[][] out, float[][] ofOut, float[][] ofIn) {
        transpose(n, in);
        int[] everyExample = Rows.every(1, n);
        for (int o = 0; o < outputs; o++) {
            bias.gradient()[o] = Rows.sum(n, ofOut[o]);
            Arrays.fill(ofRow, 0);
            Rows.addSum(inputs, ofRow, transposed, 0, everyExample, ofOut[o], 0, 1);
            System.arraycopy(ofRow, 0, weight.gradient(), o * inputs, inputs);
        }
        if (ofIn.length > 0) {
            Rows.clear(n, ofIn);
            for (int i = 0; i < inputs; i++) {
                Rows.addSum(n, ofIn[i], ofOut, 0, everyOutput, weight.values(), i, inputs);
            }
        }
    }

    private void transpose(int n, float[][] in) {
        if (transposed.length < n) {
            transposed = new float[n][inputs];
        }
        for (int i = 0; i < inputs; i++) {
            for (int example = 0; example < n; example++) {
                transposed[example][i] = in[i][example];
            }
        }
    }
}

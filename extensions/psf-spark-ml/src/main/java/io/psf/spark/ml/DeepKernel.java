package io.psf.spark.ml;

import java.io.Serial;
import java.util.Arrays;

/**
 * DeepFM (Guo, Tang, Ye, Li and He, IJCAI 2017): the margin of a factorization machine and the output of a network, whose
 * inputs are the machine's factors, field by field. A field with several keys is the sum of their factors. The network's
 * parameters follow the bias in what all rows have in common.
 */
record DeepKernel(FactorKernel machine, Network network) implements Kernel {
    @Serial
    private static final long serialVersionUID = 1;

    /** Returns the kernel of a model that was saved, which computes margins. */
    static DeepKernel ofMargins(int factors, int[] layers) {
        return new DeepKernel(FactorKernel.ofMargins(factors), new Network(layers));
    }

    @Override
    public int width() {
        return machine.width();
    }

    @Override
    public Loss loss() {
        return machine.loss();
    }

    @Override
    public int shared() {
        return 1 + network.parameters();
    }

    @Override
    public float[] begin() {
        float[] shared = new float[shared()];
        network.begin(machine.seed(), shared, 1);
        return shared;
    }

    @Override
    public int[] layers() {
        return network.sizes();
    }

    @Override
    public void complete(long[] keys, int n, float[] weights, boolean isScoring) {
        machine.complete(keys, n, weights, isScoring);
    }

    @Override
    public void learn(Batch batch, float[] weights, float[] bias, float[] update, Sums sums) {
        Arrays.fill(update, 0, batch.keys().length * width(), 0);
        float[] sum = new float[width()];
        float[] ofNetwork = new float[bias.length];
        Network.Pass pass = new Network.Pass(network);
        int begin = 0;
        for (int row = 0; row < batch.rows(); row++) {
            int end = batch.ends()[row];
            float margin = margin(batch, weights, begin, end, bias, sum, pass);
            float label = batch.labels()[row];
            float times = batch.importance()[row];
            sums.loss += times * machine.loss().loss(margin, label);
            float gradient = times * (float) machine.loss().gradient(margin, label);
            sums.bias[0] += gradient;
            machine.addGradients(batch, weights, begin, end, sum, gradient, times * machine.ridge(), update);
            addInputs(batch, begin, end, pass.learn(bias, 1, gradient, ofNetwork), update);
            begin = end;
        }
        for (int i = 1; i < bias.length; i++) {
            sums.bias[i] += ofNetwork[i];
        }
    }

    /** Adds the gradients of the network's inputs to those of the factors that they are sums of. */
    private void addInputs(Batch batch, int begin, int end, float[] ofInputs, float[] update) {
        int factors = machine.factors();
        for (int i = begin; i < end; i++) {
            float value = batch.values() == null ? 1 : batch.values()[i];
            int at = batch.slots()[i] * width() + 1;
            int from = Fields.of(batch.keys()[batch.slots()[i]]) * factors;
            for (int f = 0; f < factors; f++) {
                update[at + f] += value * ofInputs[from + f];
            }
        }
    }

    private float margin(
            Batch batch, float[] weights, int begin, int end, float[] bias, float[] sum, Network.Pass pass) {
        int factors = machine.factors();
        float[] inputs = pass.inputs();
        Arrays.fill(inputs, 0);
        for (int i = begin; i < end; i++) {
            float value = batch.values() == null ? 1 : batch.values()[i];
            int at = batch.slots()[i] * width() + 1;
            int into = Fields.of(batch.keys()[batch.slots()[i]]) * factors;
            for (int f = 0; f < factors; f++) {
                inputs[into + f] += value * weights[at + f];
            }
        }
        return bias[0] + FactorKernel.margin(batch, weights, begin, end, sum) + pass.output(bias, 1);
    }

    @Override
    public void margins(Batch batch, float[] weights, float[] bias, float[] margins) {
        float[] sum = new float[width()];
        Network.Pass pass = new Network.Pass(network);
        int begin = 0;
        for (int row = 0; row < batch.rows(); row++) {
            int end = batch.ends()[row];
            margins[row] = margin(batch, weights, begin, end, bias, sum, pass);
            begin = end;
        }
    }
}

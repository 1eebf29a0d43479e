package io.psf.examples.djl;

import io.psf.examples.recommender.Mlp;
import java.util.Arrays;

/** The network in plain Java. */
final class PlainTrainer implements Trainer {
    private final Mlp network;

    PlainTrainer(int... sizes) {
        this.network = new Mlp(sizes);
    }

    @Override
    public int size() {
        return network.size();
    }

    @Override
    public double gradient(float[] inputs, float[] labels, float[] parameters, float[] into) {
        Arrays.fill(into, 0);
        float[] input = network.input();
        double loss = 0;
        for (int i = 0; i < labels.length; i++) {
            System.arraycopy(inputs, i * input.length, input, 0, input.length);
            double logit = network.forward(parameters);
            double probability = 1 / (1 + Math.exp(-logit));
            loss += Math.max(logit, 0) - logit * labels[i] + Math.log1p(Math.exp(-Math.abs(logit)));
            network.backward((float) (probability - labels[i]) / labels.length, parameters, into);
        }
        return loss / labels.length;
    }
}

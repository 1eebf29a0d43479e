package io.psf.examples.djl;

import io.psf.examples.OnCluster;
import io.psf.examples.demo.BankTable;
import java.util.Locale;

/** Trains a network on the Bank Marketing data, with PyTorch in the worker and AdamW on the servers. */
public final class DjlMain {
    private static final int ROUNDS = 1000;

    private DjlMain() {}

    /** Runs standalone, or as a worker of the cluster that the environment names. */
    public static void main(String[] arguments) {
        DjlTraining training = new DjlTraining(BankTable.load());
        OnCluster.run(worker -> {
            try (TorchTrainer trainer = new TorchTrainer(DjlTraining.SIZES)) {
                double loss = training.run(worker, trainer, ROUNDS);
                System.out.printf(Locale.ROOT, "loss after %d rounds: %.4f%n", ROUNDS, loss);
            }
        });
    }
}

package io.psf.examples.djl;

import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Parameter;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.core.Linear;
import ai.djl.training.GradientCollector;
import ai.djl.training.ParameterStore;
import ai.djl.training.loss.Loss;

/** The same network in PyTorch. Its weights are [outputs, inputs] there, so they are transposed on the way. */
final class TorchTrainer implements Trainer, AutoCloseable {
    private final int inputs;
    private final Engine engine = Engine.getEngine("PyTorch");
    private final NDManager manager = engine.newBaseManager();
    private final SequentialBlock network = new SequentialBlock();
    private final Loss logLoss = Loss.sigmoidBinaryCrossEntropyLoss();
    private final int size;

    /**
     * Creates a network.
     *
     * @param sizes the number of inputs, then the number of units of each hidden layer
     */
    TorchTrainer(int... sizes) {
        this.inputs = sizes[0];
        for (int i = 1; i < sizes.length; i++) {
            network.add(Linear.builder().setUnits(sizes[i]).build()).add(Activation.reluBlock());
        }
        network.add(Linear.builder().setUnits(1).build());
        network.initialize(manager, DataType.FLOAT32, new Shape(1, inputs));
        int count = 0;
        for (Parameter parameter : network.getParameters().values()) {
            parameter.getArray().setRequiresGradient(true);
            count += (int) parameter.getArray().size();
        }
        this.size = count;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public double gradient(float[] inputs, float[] labels, float[] parameters, float[] into) {
        int at = 0;
        for (Parameter parameter : network.getParameters().values()) {
            NDArray array = parameter.getArray();
            float[] values = new float[(int) array.size()];
            int outputs = (int) array.getShape().get(0);
            transpose(parameters, at, values, 0, values.length / outputs, outputs);
            array.set(values);
            at += values.length;
        }
        double loss;
        try (NDManager batch = manager.newSubManager();
                GradientCollector collector = engine.newGradientCollector()) {
            collector.zeroGradients(); // they are added up otherwise
            NDArray in = batch.create(inputs, new Shape(labels.length, this.inputs));
            NDArray expected = batch.create(labels, new Shape(labels.length, 1));
            NDList out = network.forward(new ParameterStore(batch, false), new NDList(in), true);
            NDArray mean = logLoss.evaluate(new NDList(expected), out);
            collector.backward(mean);
            loss = mean.getFloat();
        }
        at = 0;
        for (Parameter parameter : network.getParameters().values()) {
            try (NDArray gradient = parameter.getArray().getGradient()) {
                float[] values = gradient.toFloatArray();
                int outputs = (int) gradient.getShape().get(0);
                transpose(values, 0, into, at, outputs, values.length / outputs);
                at += values.length;
            }
        }
        return loss;
    }

    /** Copies a matrix [rows, columns] as [columns, rows]. */
    private static void transpose(float[] from, int fromAt, float[] to, int toAt, int rows, int columns) {
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < columns; c++) {
                to[toAt + c * rows + r] = from[fromAt + r * columns + c];
            }
        }
    }

    @Override
    public void close() {
        manager.close();
    }
}

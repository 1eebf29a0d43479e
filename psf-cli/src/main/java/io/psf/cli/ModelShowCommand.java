package io.psf.cli;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.Model;
import io.psf.builtin.ModelCheckpoint;
import java.io.PrintWriter;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows what a saved step has: its tensors and records, one tensor, or a row. */
@Command(
        name = "show",
        description = {
            "Shows the tensors of a saved model and the records of its workers; with --tensor one tensor, with --row a row of"
                    + " it and the slots of the row.",
            "The exit code is 1 if a growing table has no row of the key."
        },
        footer = {"%nExample:", "  psf model show ctr --tensor users --row 42"},
        mixinStandardHelpOptions = true)
final class ModelShowCommand implements Callable<Integer> {
    @Mixin
    private StepOption step = new StepOption();

    @Option(names = "--tensor", paramLabel = "NAME", description = "shows this tensor")
    private @Nullable String tensor;

    @Option(names = "--row", paramLabel = "KEY", description = "shows the row of this key, of --tensor")
    private @Nullable Long row;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        if (row != null && tensor == null) {
            throw new PsException(
                    PsException.Code.CONFIGURATION, "--tensor: not set (expected: the tensor of --row " + row + ")");
        }
        Model model = step.open();
        PrintWriter out = Objects.requireNonNull(spec, "spec").commandLine().getOut();
        try {
            if (tensor == null) {
                show(model, out);
                return 0;
            }
            Model.Tensor shown = model.tensor(StepOption.tensor(tensor));
            return row == null ? show(model, shown, out) : show(model, shown, row, out);
        } finally {
            out.flush();
        }
    }

    private void show(Model model, PrintWriter out) {
        out.println("model " + step.model() + ", step " + model.step() + ", saved "
                + model.saved().truncatedTo(ChronoUnit.SECONDS) + ", " + Units.bytes(model.bytes()));
        out.println();
        Table table = new Table(
                Table.name("TENSOR"),
                Table.text("SHAPE"),
                Table.number("ROWS"),
                Table.number("BYTES"),
                Table.text("OPTIMIZER"),
                Table.text("SLOTS"));
        for (Model.Tensor each : model.tensors()) {
            table.add(
                    each.info().id(),
                    each.info().shape(),
                    model.count(each.info().id()),
                    Units.bytes(each.bytes()),
                    optimizer(each),
                    String.join(", ", new TreeMap<>(each.slots()).keySet()));
        }
        table.lines().forEach(out::println);
        ModelCheckpoint saved = model.checkpoint();
        new TreeMap<>(saved.records())
                .forEach((worker, record) -> out.println("record of worker " + worker + ", step "
                        + saved.recordSteps().getOrDefault(worker, model.step()) + ": " + record));
    }

    /** Returns the optimizer that goes on; an imported tensor may have none. */
    private static String optimizer(Model.Tensor tensor) {
        return tensor.optimizer().isEmpty() ? "any" : tensor.optimizer();
    }

    private static int show(Model model, Model.Tensor tensor, PrintWriter out) {
        out.println("tensor       " + tensor.info().id());
        out.println("shape        " + tensor.info().shape());
        out.println("rows         " + model.count(tensor.info().id()));
        out.println("bytes        " + Units.bytes(tensor.bytes()));
        out.println("optimizer    " + optimizer(tensor));
        out.println("declaration  " + tensor.declaration());
        new TreeMap<>(tensor.slots())
                .forEach((name, width) -> out.println("slot         " + name + " [" + width + "]"));
        return 0;
    }

    private static int show(Model model, Model.Tensor tensor, long key, PrintWriter out) {
        TensorId id = tensor.info().id();
        List<float[]> values = model.row(id, key).stream().toList();
        if (values.isEmpty()) {
            out.println("tensor " + id + ": no row of key " + key);
            return 1;
        }
        out.println("values  " + Arrays.toString(values.get(0)));
        for (String slot : new TreeMap<>(tensor.slots()).keySet()) {
            model.row(id, slot, key).ifPresent(each -> out.println(slot + "  " + Arrays.toString(each)));
        }
        return 0;
    }
}

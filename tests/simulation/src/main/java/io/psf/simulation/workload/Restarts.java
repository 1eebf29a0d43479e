package io.psf.simulation.workload;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoint;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.TrainingLoop;
import io.psf.builtin.Updates;
import io.psf.runtime.Worker;
import io.psf.simulation.fault.Faults;
import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.Tasks;
import io.psf.simulation.world.Violation;
import io.psf.simulation.world.Workload;
import io.psf.simulation.world.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A job that trains ends in order, by kills, or by a loss of power, and is started again with other numbers of servers
 * and workers. The model has each step once, of each worker of the job that has trained it last. No step of a complete
 * checkpoint is trained again.
 */
public final class Restarts implements Workload {
    private static final int JOBS = 3;

    private final List<TrainedSteps> jobs = new ArrayList<>();
    /** The step of a checkpoint that is complete, since a later one is there. */
    private long complete;

    /** The number of jobs that have saved a copy of the tensor. */
    private int copies;

    private int rows;
    private long interval;
    private int mostIncrements;

    @Override
    public String name() {
        return "restarts";
    }

    @Override
    public Shape shape(SplittableRandom random) {
        return Shape.draw(random, Shape.Recovery.CHECKPOINTS);
    }

    @Override
    public List<Fault.Kind> faults(Shape shape) {
        return Faults.of(Faults.HARMLESS, Faults.ofScheduler(shape), Faults.RETURNS, Faults.DISKS, Faults.DISKS);
    }

    @Override
    public void run(World world) throws Exception {
        SplittableRandom random = world.random("jobs");
        rows = world.calls() + 8; // more than slices
        interval = 1L + random.nextInt(8);
        mostIncrements = random.nextInt(3);
        for (int job = 0; job < JOBS; job++) {
            if (job > 0) {
                world.form(1 + random.nextInt(3), 1 + random.nextInt(3));
            }
            jobs.add(new TrainedSteps(world.shape().workers()));
            if (job == JOBS - 1) {
                Team.runQuietly(world, (rank, worker) -> train(world, worker, Long.MAX_VALUE));
            } else if (random.nextInt(3) == 0) {
                long stop = 1L + random.nextInt(world.calls());
                Team.runQuietly(world, (rank, worker) -> train(world, worker, stop));
                world.endJob();
            } else {
                trainUntilKilled(world, 1 + random.nextInt(world.calls()), random.nextInt(100));
                world.kill(random.nextBoolean());
            }
        }
    }

    /** Trains until a worker has come to a step, and for some time after that. */
    private void trainUntilKilled(World world, long step, long millis) throws InterruptedException {
        Tasks tasks = Team.start(world, (rank, worker) -> train(world, worker, Long.MAX_VALUE));
        while (!(tasks.isDone() && !world.supervisor().isReturning()) && last().reached() < step) {
            Thread.sleep(10);
        }
        Thread.sleep(millis);
        if (tasks.isDone()) {
            tasks.await();
        }
    }

    private TrainedSteps last() {
        return jobs.get(jobs.size() - 1);
    }

    /**
     * Trains on a worker.
     *
     * @param stop the step after which the worker stops the job
     */
    private void train(World world, Worker worker, long stop) throws InterruptedException {
        int slices =
                world.shape().servers() + world.random("slices " + jobs.size()).nextInt(3);
        TensorSpec spec = TensorSpec.dense("model", rows)
                .updates(world.random("updates").nextBoolean() ? Updates.SUM : Updates.EACH)
                .slices(slices);
        TensorId model = Tensors.init(worker, spec);
        ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "team/model").incremental(mostIncrements);
        TrainingLoop loop = checkpoints.everySteps(interval);
        TrainedSteps job = last();
        if (worker.rank() == 0 && copies < jobs.size()) {
            copy(worker, model); // the others wait for this worker
        }
        long[] at = new long[1];
        try {
            loop.run(world.calls(), step -> {
                at[0] = step;
                begin(world, job, step);
                if (worker.rank() == 0) {
                    look(checkpoints);
                }
                if (step >= stop) {
                    loop.stop();
                }
                float[] update = new float[rows];
                update[(int) step - 1] = 1;
                Tensors.push(worker, model, update).await();
            });
        } catch (PsException e) {
            job.failed(at[0]);
            throw e;
        }
        if (jobs.size() == JOBS) {
            check(Tensors.pull(worker, model), world.calls());
        }
    }

    /** Saves the tensor by itself, once in each job. What the earlier jobs have saved is there. */
    private void copy(Worker worker, TensorId model) {
        if (copies > 0) {
            Tensors.load(worker, model, "copies/of-job-" + copies);
        }
        Tensors.save(worker, model, "copies/of-job-" + (copies + 1));
        copies++;
    }

    private void begin(World world, TrainedSteps job, long step) throws InterruptedException {
        world.beginFaults(); // the first checkpoint is there
        world.think();
        if (step <= complete && (jobs.size() > 1 || !world.mayFail())) {
            throw new Violation(
                    "step " + step + " is trained again (expected: later steps, since the checkpoint of step "
                            + complete + " is complete)");
        }
        complete = Math.min(complete, step - 1); // its checkpoint could not be read
        job.begun(step);
    }

    /** The last checkpoint but one is complete, also on the disk: the save of the last one began after that. */
    private void look(ModelCheckpoints checkpoints) {
        try {
            checkpoints.list().stream()
                    .map(ModelCheckpoint::step)
                    .sorted(Comparator.reverseOrder())
                    .skip(1)
                    .findFirst()
                    .ifPresent(step -> complete = Math.max(complete, step));
        } catch (PsException e) {
            if (e.code() != PsException.Code.STORAGE) { // the disk fails now
                throw e;
            }
        }
    }

    private void check(float[] model, int steps) {
        for (int step = 1; step <= steps; step++) {
            TrainedSteps job = TrainedSteps.of(jobs, step);
            if (model[step - 1] != job.workers() && !(job.mayLack(step) && model[step - 1] < job.workers())) {
                throw new Violation("step " + step + " in the model: " + model[step - 1] + " times (expected: "
                        + job.workers() + ", once by each worker of job " + jobs.indexOf(job) + ")");
            }
        }
    }
}

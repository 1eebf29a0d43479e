package good;

import io.psf.api.Optimizer;
import io.psf.api.PsOptimizer;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;

@PsOptimizer("good.sign")
public record Sign(float lr, double bound, int period, long seed, boolean decoupled, String mode) implements Optimizer {
  public Sign(float lr) {
    this(lr, 1, 1, 0, false, "");
  }

  @Override
  public void apply(Shard shard, FloatArray update) {}

  @Override
  public void apply(Shard shard, LongArray keys, FloatArray update) {}

  public static final class Plain implements Optimizer {
    @PsOptimizer("good.sign.plain")
    public Plain() {}

    public Plain(float lr) {}

    @Override
    public void apply(Shard shard, FloatArray update) {}

    @Override
    public void apply(Shard shard, LongArray keys, FloatArray update) {}
  }
}

package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import java.util.*;

public final class Named {
  public abstract static class Base implements Optimizer {
    @Override
    public void apply(Shard shard, FloatArray update) {}

    @Override
    public void apply(Shard shard, LongArray keys, FloatArray update) {}
  }

  @PsOptimizer("bad.abstract")
  public abstract static class Open extends Base {} // ERROR [PsfNamedKind]

  @PsOptimizer("bad.inner")
  public class Inner extends Base {} // ERROR [PsfNamedKind]

  @PsOptimizer("bad.other")
  public record Other(float lr) {} // ERROR [PsfNamedType]

  @PsInitializer("bad.initializer")
  public static class NoGenerator extends Base {} // ERROR [PsfNamedType]

  @PsOptimizer("Bad Name") // ERROR [PsfName]
  public static class Misnamed extends Base {}

  @PsOptimizer("bad.twice")
  public static class Once extends Base {}

  @PsOptimizer("bad.twice") // ERROR [PsfNameTaken]
  public static class Twice extends Base {}

  @PsOptimizer("bad.hidden")
  static class Hidden extends Base { // ERROR [PsfNamedConstructor]
    public Hidden() {}
  }

  @PsOptimizer("bad.several")
  public static class Several extends Base { // ERROR [PsfNamedConstructor]
    public Several() {}

    public Several(float lr) {}
  }

  @PsOptimizer("bad.throws")
  public static class Throwing extends Base { // ERROR [PsfNamedConstructor]
    public Throwing() throws java.io.IOException {}
  }

  public static class Private extends Base {
    @PsOptimizer("bad.private")
    Private() {} // ERROR [PsfNamedConstructor]
  }

  @PsOptimizer("bad.parameters")
  public record Parameters(
      float lr,
      float[] rates, // ERROR [PsfNamedParameter]
      List<String> names) // ERROR [PsfNamedParameter]
      implements Optimizer {
    @Override
    public void apply(Shard shard, FloatArray update) {}

    @Override
    public void apply(Shard shard, LongArray keys, FloatArray update) {}
  }
}

package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

/** Annotations that mean nothing in a nested record or on the constant of an enum. */
@PsFunction("bad.within")
public interface Within {
  enum Mode {
    @Reduce(Reduction.MAX) A, // ERROR [PsfLayoutNested]
    @ByRange B // ERROR [PsfLayoutNested]
  }

  record Deepest(@Ragged("counts") int x) {} // ERROR [PsfLayoutNested]

  record Point(
      @ByRange float x, // ERROR [PsfLayoutNested]
      @ByKey long y, // ERROR [PsfLayoutNested]
      @Reduce(Reduction.SUM) double z, // ERROR [PsfLayoutNested]
      @Along("keys") float[] row, // ERROR [PsfLayoutNested]
      @Unknown int unknown, // ERROR [PsfUnknown]
      List<Deepest> deepest) {}

  record Request(
      TensorId tensor,
      Mode mode,
      Point point,
      List<Point> points,
      @Unknown int unknown) {} // ERROR [PsfUnknown]

  record Response(List<Point> points) {}

  Response handle(Request slice, Shard shard);
}

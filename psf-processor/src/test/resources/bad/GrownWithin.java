package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

/** Versions of what is in nested records and enums. */
@PsFunction("bad.grown-within")
public interface GrownWithin {
  enum First {
    @Since(2) A, // ERROR [PsfSince]
    @Since(2) B
  }

  enum Later {
    A,
    @Since(3) B,
    @Since(2) C, // ERROR [PsfSince]
    D // ERROR [PsfSince]
  }

  enum Both {
    A,
    @Unknown B,
    @Unknown C // ERROR [PsfUnknown]
  }

  record Point(
      float x,
      @Since(1) float y, // ERROR [PsfSince]
      @Since(3) float z,
      @Since(2) List<String> words, // ERROR [PsfSince]
      float late, // ERROR [PsfSince]
      @Since(3) TensorId tensor) {} // ERROR [PsfSince]

  record Request(TensorId tensor, List<Response> before, First first, Later later, Both both, List<Point> points) {}

  record Response(@Reduce(Reduction.SUM) int n, @Reduce(Reduction.MAX) @Since(2) int m) {}

  Response handle(Request slice, Shard shard);
}

package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

@PsFunction("bad.generic")
interface Generic<T> { // ERROR [PsfGeneric]
  record Request(TensorId tensor) {}

  record Response() {}

  Response handle(Request slice, Shard shard);

  @PsFunction("bad.generic.tuple")
  interface Tuple {
    record Request<T>(TensorId tensor, T value) {} // ERROR [PsfGeneric]

    record Response() {}

    Response handle(Request<String> slice, Shard shard);
  }
}

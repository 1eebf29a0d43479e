package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

final class Names {
  @PsFunction("Bad.Upper") // ERROR [PsfName]
  interface Upper {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request slice, Shard shard);
  }

  @PsFunction(
      at = Place.SHARD,
      value = "") // ERROR [PsfName]
  interface Nothing {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request slice, Shard shard);
  }

  @PsFunction("bad.same")
  interface One {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request slice, Shard shard);
  }

  @PsFunction("bad.same") // ERROR [PsfNameTaken]
  interface Another {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request slice, Shard shard);
  }
}

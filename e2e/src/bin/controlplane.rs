//! `cargo run -p e2e --bin controlplane -- build | up`: the control plane without a test.

use e2e::{ControlPlane, FakeNode, Fault, Module, Nodes, cache_folder};
use std::io::{Read, Write};
use std::process::ExitCode;

const USAGE: &str = "\
usage: controlplane build [controlplane|volcano|tools]...   builds into the cache what is missing
       controlplane up [--native-groups]                    runs one with kwok until Enter or Ctrl-C
       controlplane cache                                   prints where built binaries are
";

#[tokio::main]
async fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["build", ref names @ ..] => build(names),
        ["up", ref flags @ ..] => up(flags.contains(&"--native-groups")).await,
        ["cache"] => cache_folder().map(|folder| say(&format!("{}\n", folder.display()))),
        _ => Err(Fault::new(USAGE)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            let _ = writeln!(std::io::stderr(), "{fault}");
            ExitCode::FAILURE
        }
    }
}

fn build(names: &[&str]) -> Result<(), Fault> {
    for module in Module::ALL {
        if names.is_empty() || names.contains(&module.name()) {
            say(&format!("{}\n", module.build()?.display()));
        }
    }
    let unknown = |name: &&&str| !Module::ALL.iter().any(|module| module.name() == **name);
    match names.iter().find(unknown) {
        Some(name) => Err(Fault::new(format!("there is no module {name}\n{USAGE}"))),
        None => Ok(()),
    }
}

async fn up(native_groups: bool) -> Result<(), Fault> {
    let builder = ControlPlane::builder().nodes(Nodes::Kwok);
    let builder = if native_groups { builder.native_groups() } else { builder };
    let plane = builder.try_start().await?;
    plane.add_nodes(&FakeNode::many(8, "gpu-", |node, _| node.gpus(8))).await?;
    say(&format!(
        "a control plane with 8 nodes of 8 GPUs; press Enter to end it\n\n\
         export KUBECONFIG={}\nexport PATH={}/bin:$PATH\n",
        plane.admin_kubeconfig().display(),
        Module::ControlPlane.build()?.display(),
    ));
    let _ = std::io::stdin().read(&mut [0; 1]);
    Ok(())
}

fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

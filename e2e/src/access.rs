//! Who may talk to the API server: its certificate, its tokens, kubeconfig files.

use crate::fault::{Fault, Trying};
use crate::nest::Nest;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::json;
use std::path::PathBuf;

/// Keys, certificates and tokens of one control plane.
#[derive(Debug)]
pub(crate) struct Access {
    /// What clients trust.
    pub(crate) authority: PathBuf,
    /// The API server's own certificate and key.
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
    /// Signs tokens of service accounts.
    pub(crate) signing_key: PathBuf,
    /// Verifies them.
    pub(crate) verifying_key: PathBuf,
    /// Static tokens, as the API server reads them.
    pub(crate) tokens: PathBuf,
    admin: String,
}

/// As whom a kubeconfig speaks.
pub(crate) enum Speaker<'a> {
    /// Member of `system:masters`.
    Admin,
    /// Any name, with these groups: the administrator in disguise.
    User(&'a str, &'a [&'a str]),
    /// Whoever has this token.
    Token(&'a str),
}

impl Access {
    /// Makes everything and writes it into the nest.
    pub(crate) fn new(nest: &Nest) -> Result<Self, Fault> {
        let failed = || "making certificates".to_owned();
        let authority_key = KeyPair::generate().trying(failed)?;
        let mut authority = CertificateParams::default();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.distinguished_name.push(DnType::CommonName, "muster e2e");
        let authority_pem = authority.self_signed(&authority_key).trying(failed)?.pem();
        let issuer = Issuer::new(authority, authority_key);

        let key = KeyPair::generate().trying(failed)?;
        let names = ["127.0.0.1", "localhost", "kubernetes.default.svc"].map(str::to_owned);
        let own = CertificateParams::new(names).trying(failed)?;
        let own = own.signed_by(&key, &issuer).trying(failed)?;
        let signing_key = KeyPair::generate().trying(failed)?;

        let admin = secret()?;
        Ok(Self {
            authority: nest.write("ca.crt", &authority_pem)?,
            certificate: nest.write("apiserver.crt", &own.pem())?,
            key: nest.write("apiserver.key", &key.serialize_pem())?,
            signing_key: nest.write("service-accounts.key", &signing_key.serialize_pem())?,
            verifying_key: nest.write("service-accounts.pub", &signing_key.public_key_pem())?,
            tokens: nest
                .write("tokens.csv", &format!("{admin},admin,admin,\"system:masters\"\n"))?,
            admin,
        })
    }

    /// The administrator's token.
    pub(crate) fn admin(&self) -> &str {
        &self.admin
    }

    /// The text of a kubeconfig file.
    pub(crate) fn kubeconfig(&self, url: &str, speaker: &Speaker<'_>) -> String {
        let user = match speaker {
            Speaker::Admin => json!({ "token": self.admin }),
            Speaker::User(name, groups) => {
                json!({ "token": self.admin, "as": name, "as-groups": groups })
            }
            Speaker::Token(token) => json!({ "token": token }),
        };
        let context = json!({ "cluster": "e2e", "user": "e2e", "namespace": "default" });
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "e2e",
            "clusters": [{ "name": "e2e", "cluster": {
                "server": url, "certificate-authority": self.authority } }],
            "users": [{ "name": "e2e", "user": user }],
            "contexts": [{ "name": "e2e", "context": context }],
        });
        // JSON is YAML too.
        format!("{config:#}\n")
    }
}

fn secret() -> Result<String, Fault> {
    let mut bytes = [0_u8; 16];
    SystemRandom::new().fill(&mut bytes).trying(|| "making a token".to_owned())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
